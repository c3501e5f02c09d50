// The best documents of a query, without scoring all that contain one of its terms; see retrieval/searching.py.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "retrieval/postings.hpp"

namespace directrank::searching {

using postings::Document;
using postings::Postings;
using postings::Query;

// The order of a query's terms, and bounds of their parts of a score.
struct Plan {
    std::vector<Index> order;
    // Before each term and after all of them: the most that the terms left can take or add, and how many postings they have.
    std::vector<double> can_take, can_add;
    std::vector<Index> left;
    // Number of terms after which a bound may first exclude documents that have none of them.
    Index n_opening;

    // Terms by the most they can add; the opening ends when those left can change a score by less than those before.
    Plan(const Query& query, const Postings& postings);

    // Whether it takes less time to score all documents.
    bool needs_all(Index n_documents, Index depth) const;
};

// Scratch space of a thread, for one query after another.
struct Workspace {
    Array<double> sums;    // of each document; -inf between queries
    Array<Document> seen;  // the documents whose sum is not -inf; one place more than documents
    Array<double> values;

    explicit Workspace(Index n_documents);
};

// Workspaces that threads take and give back.
class Workspaces {
  public:
    explicit Workspaces(Index n_documents) : n_documents_(n_documents) {}

    // Calls `work(workspace)` with one that no other thread has.
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

// Writes the best documents of a query and their scores without the constant, and 0 behind them; returns how many there are.
Index search(const Query& query, const Postings& postings, Workspace& workspace, Span<Document> best, Span<double> scores);

// Writes the scores of documents without the constant; documents may be repeated.
void score_documents(const Query& query, const Postings& postings, Span<const Document> documents, Workspace& workspace,
                     Span<double> scores);

}  // namespace directrank::searching
