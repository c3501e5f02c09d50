// The best documents of a query whose terms are so common that every document may as well be scored.
//
// Documents are taken in blocks whose sums stay in the nearest cache. What a block has above the threshold, the lowest score
// that is known to be among the best, is kept; when enough are kept, a histogram of their scores raises the threshold.
#pragma once

#include "retrieval/postings.hpp"

namespace directrank::dense_pass {

using postings::Document;
using postings::Postings;
using postings::Query;

// Writes to `kept` documents that the best `depth` are among, ascending, and to `scores` theirs, without the constant.
//
// The sums are over the terms in the order of the query. Both have room for all documents. Returns how many documents are kept.
Index score_all(const Query& query, const Postings& postings, Index depth, Document* kept, double* scores);

}  // namespace directrank::dense_pass
