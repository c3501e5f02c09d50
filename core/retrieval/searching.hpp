// Top-k search with dynamic pruning; see retrieval/searching.py.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "retrieval/postings.hpp"

namespace directrank::searching {

using postings::Document;
using postings::Postings;
using postings::Query;

// Order of a query's terms, and bounds on their contributions.
struct Plan {
    std::vector<Index> order;
    // Before each term and after the last: bounds on the contribution of the remaining terms, and their number of postings.
    std::vector<double> can_take, can_add;
    std::vector<Index> left;
    // Number of terms after which a bound may first exclude unseen documents.
    Index n_opening;

    // Orders terms by maximum contribution; the opening ends when the remaining terms contribute less than those before.
    Plan(const Query& query, const Postings& postings);

    // Whether scoring all documents is faster.
    bool needs_all(Index n_documents, Index depth) const;
};

// Scratch space of a thread.
struct Workspace {
    Array<double> sums;    // of each document; -inf between queries
    Array<Document> seen;  // documents with a sum other than -inf; one more entry than documents
    Array<double> values;

    explicit Workspace(Index n_documents);
};

// A pool of workspaces.
class Workspaces {
  public:
    explicit Workspaces(Index n_documents) : n_documents_(n_documents) {}

    // Calls `work(workspace)` with a workspace of its own.
    template <class Work>
    void lend(const Work& work) {
        auto workspace = take();
        work(*workspace);
        std::lock_guard lock(mutex_);
        spare_.push_back(std::move(workspace));
    }

  private:
    std::unique_ptr<Workspace> take() {
        {
            std::lock_guard lock(mutex_);
            if (!spare_.empty()) {
                auto workspace = std::move(spare_.back());
                spare_.pop_back();
                return workspace;
            }
        }
        return std::make_unique<Workspace>(n_documents_);
    }

    Index n_documents_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Workspace>> spare_;
};

// Writes the top documents of a query and their scores without the constant, padded with 0; returns their number.
Index search(const Query& query, const Postings& postings, Workspace& workspace, Span<Document> best, Span<double> scores);

// Writes the scores of documents without the constant; documents may be repeated.
void score_documents(const Query& query, const Postings& postings, Span<const Document> documents, Workspace& workspace,
                     Span<double> scores);

}  // namespace directrank::searching
