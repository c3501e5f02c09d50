#include "clicks/examination_model.hpp"

#include <algorithm>

#include "clones.hpp"
#include "elementary.hpp"
#include "for_each_query.hpp"

namespace directrank::examination_model {
namespace {

// Number of cells whose logarithms are taken at once.
constexpr Index BLOCK = 256;

// A run of cells, with the attractiveness of the pair and the examination of the place of each.
struct Block {
    Index size;
    const Index *shown, *clicked;
    double a[BLOCK], t[BLOCK], attractive[BLOCK], examined[BLOCK];
};

// Replaces parameters by expected numbers of attractive and of examined impressions; returns the log-likelihood.
DIRECTRANK_CLONES
double expect(Block& block) {
    double no_click[BLOCK], click[BLOCK], log_likelihood = 0;
    DIRECTRANK_INDEPENDENT
    for (Index i = 0; i < block.size; ++i) {
        const double a = block.a[i], t = block.t[i], clicked = static_cast<double>(block.clicked[i]);
        const double skipped = static_cast<double>(block.shown[i]) - clicked;
        click[i] = t * a;
        no_click[i] = 1 - click[i];
        const double share = skipped / no_click[i];
        block.attractive[i] = clicked + share * (a - click[i]);
        block.examined[i] = clicked + share * (t - click[i]);
    }
    DIRECTRANK_INDEPENDENT
    for (Index i = 0; i < block.size; ++i) {
        const double clicked = static_cast<double>(block.clicked[i]);
        const double skipped = static_cast<double>(block.shown[i]) - clicked;
        no_click[i] = clicked * logarithm(click[i]) + skipped * logarithm(no_click[i]);
    }
    for (Index i = 0; i < block.size; ++i) log_likelihood += no_click[i];
    return log_likelihood;
}

// Sums over the cells `start` to before `end`, of whole pairs from `pair` on; returns the log-likelihood.
double sum_cells(const Cells& cells, Index pair, Index start, Index end, Span<const double> attractiveness,
                 Span<const double> examination, Span<double> attractive, Span<double> examined) {
    double log_likelihood = 0;
    Block block;
    for (Index first = start; first < end; first += BLOCK) {
        block.size = std::min(BLOCK, end - first);
        block.shown = cells.shown.data() + first, block.clicked = cells.clicked.data() + first;
        Index next = pair;
        for (Index i = 0; i < block.size; ++i) {
            while (cells.offsets[next + 1] <= first + i) ++next;
            block.a[i] = attractiveness[next], block.t[i] = examination[cells.place[first + i]];
        }
        log_likelihood += expect(block);
        for (Index i = 0; i < block.size; ++i) {
            while (cells.offsets[pair + 1] <= first + i) ++pair;
            attractive[pair] += block.attractive[i];
            examined[cells.place[first + i]] += block.examined[i];
        }
    }
    return log_likelihood;
}

}  // namespace

Expectations expectations(const Cells& cells, Span<const double> attractiveness, Span<const double> examination) {
    constexpr Index MIN_PART = 4096, MAX_PARTS = 256;
    const Index n_cells = cells.place.size(), n_places = examination.size();
    // Each part has sums of its own for all places, which should be less work than its cells.
    const Index n_parts = std::clamp<Index>(n_cells / std::max(MIN_PART, 8 * n_places), 1, MAX_PARTS);
    const auto first_pair = [&](Index cell) {
        return std::lower_bound(cells.offsets.begin(), cells.offsets.end() - 1, cell) - cells.offsets.begin();
    };
    auto examined = Table<double>::zeros(n_parts, n_places);
    auto log_likelihood = Array<double>::zeros(n_parts);
    Expectations sums{Array<double>::zeros(attractiveness.size()), Array<double>::zeros(n_places), 0};
    for_each_part(n_cells, n_parts, [&](Index part, Index start, Index end) {
        const Index pair = first_pair(start), last = first_pair(end);
        log_likelihood[part] = sum_cells(cells, pair, cells.offsets[pair], cells.offsets[last], attractiveness, examination,
                                         sums.attractive, examined[part]);
    });
    for (Index part = 0; part < n_parts; ++part) {
        for (Index place = 0; place < n_places; ++place) sums.examined[place] += examined(part, place);
        sums.log_likelihood += log_likelihood[part];
    }
    return sums;
}

}  // namespace directrank::examination_model
