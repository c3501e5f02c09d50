// Top documents of queries whose terms are so common that all documents are scored.
//
// Documents are scored in blocks whose sums stay in the cache. Documents above the threshold, a lower bound on the scores of
// the top, are kept; when enough are kept, a histogram of their scores raises the threshold.
#pragma once

#include "retrieval/postings.hpp"

namespace directrank::dense_pass {

using postings::Document;
using postings::Postings;
using postings::Query;

// Writes candidates that include the top `depth` to `kept`, ascending, and their scores without the constant to `scores`.
//
// Sums are in the order of the query's terms. Both arrays have room for all documents. Returns the number of candidates.
Index score_all(const Query& query, const Postings& postings, Index depth, Document* kept, double* scores);

}  // namespace directrank::dense_pass
