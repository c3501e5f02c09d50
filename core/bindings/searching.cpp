#include "retrieval/searching.hpp"

#include "bindings/kernels.hpp"
#include "retrieval/common_terms.hpp"
#include "retrieval/dense_pass.hpp"

using namespace directrank;
using namespace nanobind::literals;
using postings::Document;
using postings::Postings;
using postings::Query;
using searching::Workspace;
using searching::Workspaces;

// Number of queries per part: few, since their cost varies widely.
constexpr Index QUERIES_OF_A_PART = 8;

// Postings with the arrays that own them, and workspaces for single queries.
struct Searched : Postings {
    std::vector<nb::object> arrays;
    Workspaces workspaces{n_documents};
};

template <class T>
static void check_finite(Span<const T> values) {
    bool ok = true;
    for (const T value : values) ok &= value - value == 0;
    if (!ok) throw std::invalid_argument("a value that is not finite");
}

static void check(const Postings& p) {
    if (p.n_documents < 0 || p.n_documents > std::numeric_limits<Document>::max())
        throw std::invalid_argument("the number of documents must be from 0 to 2^31 - 1");
    check_offsets(p.starts, p.documents.size());
    check_length(p.documents.size(), {p.impacts.size()});
    check_range(p.documents, 0, p.n_documents);
    check_finite(p.impacts);
    if (!p.own.empty()) check_length(p.n_documents, {p.own.size()});
    check_finite(p.own);
    const Index n_terms = p.starts.size() - 1;
    check_length(n_terms, {p.row.size()});
    check_range(p.row, -1, p.bits.rows());
    check_length(p.bits.rows(), {p.before.rows()});
    check_length(common_terms::n_words(p.n_documents), {p.bits.columns(), p.before.columns()});
    for (Index term = 0; term < n_terms; ++term) {
        const auto documents = p.documents_of(term);
        bool ascend = true;
        for (Index k = 1; k < documents.size(); ++k) ascend &= documents[k - 1] < documents[k];
        if (!ascend) throw std::invalid_argument("documents of a term that do not ascend");
        const Index row = p.row[term];
        if (row >= 0 && !common_terms::fits(p.bits[row].data(), p.before[row].data(), p.bits.columns(), documents.size()))
            throw std::invalid_argument("a table that is not that of its term");
    }
}

static void check_terms(const Postings& postings, Span<const Index> terms, Span<const double> weights) {
    check_length(terms.size(), {weights.size()});
    check_range(terms, 0, postings.starts.size() - 1);
    check_finite(weights);
}

static Query checked_query(const Postings& postings, Span<const Index> terms, Span<const double> weights, double length) {
    check_terms(postings, terms, weights);
    return {terms, weights, length};
}

static void check_depth(const Postings& postings, Index depth) {
    if (depth < 0 || depth > postings.n_documents)
        throw std::invalid_argument("depth must be at most the number of documents, " +
                                    std::to_string(postings.n_documents));
}

// Queries as validated flat arrays.
struct Batch {
    Span<const Index> terms;
    Span<const double> weights;
    Span<const Index> offsets;
    Span<const double> lengths;

    Batch(const Postings& postings, Span<const Index> terms, Span<const double> weights, Span<const Index> offsets,
          Span<const double> lengths)
        : terms(terms), weights(weights), offsets(offsets), lengths(lengths) {
        check_queries(offsets, {terms.size(), weights.size()});
        check_length(size(), {lengths.size()});
        check_terms(postings, terms, weights);
        check_finite(lengths);
    }

    Index size() const { return offsets.size() - 1; }
    Query operator[](Index q) const {
        return {terms.slice(offsets[q], offsets[q + 1]), weights.slice(offsets[q], offsets[q + 1]), lengths[q]};
    }
};

// Calls `work(q, workspace)` for each query of a batch. Workspaces of a batch are freed afterwards.
template <class Work>
static void for_each_query(Searched& searched, Index n_queries, const Work& work) {
    Workspaces own(searched.n_documents);
    Workspaces& workspaces = n_queries == 1 ? searched.workspaces : own;
    for_each_block(n_queries, QUERIES_OF_A_PART, [&](Index start, Index end) {
        workspaces.lend([&](Workspace& workspace) {
            for (Index q = start; q < end; ++q) work(q, workspace);
        });
    });
}

DIRECTRANK_KERNELS(searching) {
    nb::class_<Searched> postings(m, "Postings");
    postings.def(
        "__init__",
        [](Searched* self, Kept<Span<const Index>> starts, Kept<Span<const Document>> documents,
           Kept<Span<const float>> impacts, Kept<Span<const std::int32_t>> row, Kept<Grid<const std::uint64_t>> bits,
           Kept<Grid<const std::int32_t>> before, Kept<Span<const double>> own, Index n_documents) {
            Postings made{n_documents, starts.view, documents.view, impacts.view, row.view, bits.view, before.view,
                          own.view};
            check(made);
            made.compute_bounds();
            new (self) Searched{std::move(made), {starts.array, documents.array, impacts.array, row.array, bits.array,
                                                  before.array, own.array}};
        },
        "starts"_a, "documents"_a, "impacts"_a, "row"_a, "bits"_a, "before"_a, "own"_a, "n_documents"_a);
    postings.def(
        "search",
        [](Searched& self, Span<const Index> terms, Span<const double> weights, Span<const Index> offsets,
           Span<const double> lengths, Index depth) {
            const Batch batch(self, terms, weights, offsets, lengths);
            check_depth(self, depth);
            Table<Document> best(batch.size(), depth);
            Table<double> scores(batch.size(), depth);
            Array<Index> sizes(batch.size());
            for_each_query(self, batch.size(), [&](Index q, Workspace& workspace) {
                sizes[q] = searching::search(batch[q], self, workspace, best[q], scores[q]);
            });
            return std::tuple(std::move(best), std::move(scores), std::move(sizes));
        },
        released);
    postings.def(
        "score",
        [](Searched& self, Span<const Index> terms, Span<const double> weights, Span<const Index> offsets,
           Span<const double> lengths, Span<const Index> documents, Span<const Index> ends) {
            const Batch batch(self, terms, weights, offsets, lengths);
            check_queries(ends, {documents.size()});
            check_length(offsets.size(), {ends.size()});
            check_range(documents, 0, self.n_documents);
            Array<Document> wanted(documents.size());
            std::copy(documents.begin(), documents.end(), wanted.begin());
            Array<double> scores(documents.size());
            for_each_query(self, batch.size(), [&](Index q, Workspace& workspace) {
                const Index start = ends[q], end = ends[q + 1];
                searching::score_documents(batch[q], self, wanted.slice(start, end), workspace, scores.slice(start, end));
            });
            return scores;
        },
        released);
    postings.def(
        "score_all",
        [](Searched& self, Span<const Index> terms, Span<const double> weights, double length, Index depth) {
            const Query query = checked_query(self, terms, weights, length);
            check_depth(self, depth);
            Array<Document> kept(self.n_documents);
            Array<double> scores(self.n_documents);
            const Index n = dense_pass::score_all(query, self, depth, kept.data(), scores.data());
            kept.shrink(n), scores.shrink(n);
            return std::pair(std::move(kept), std::move(scores));
        },
        released);
    postings.def(
        "needs_all",
        [](Searched& self, Span<const Index> terms, Span<const double> weights, Index depth) {
            check_depth(self, depth);
            return searching::Plan(checked_query(self, terms, weights, 0), self).needs_all(self.n_documents, depth);
        },
        released);
}
