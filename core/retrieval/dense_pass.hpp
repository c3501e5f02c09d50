// The best documents of a query whose terms are so common that every document may as well be scored.
//
// Documents are taken in blocks whose sums stay in the nearest cache. Those above the threshold, the lowest score known to
// be among the best, are kept; when enough are kept, a histogram of their scores raises the threshold.
#pragma once

#include "retrieval/postings.hpp"

namespace directrank::dense_pass {

using postings::Document;
using postings::Postings;
using postings::Query;

// Writes to `kept` documents that the best `depth` are among, ascending, and to `scores` theirs, without the constant.
//
// Sums are over the terms in the order of the query. Both arrays have room for all documents. Returns the number kept.
Index score_all(const Query& query, const Postings& postings, Index depth, Document* kept, double* scores);

}  // namespace directrank::dense_pass
