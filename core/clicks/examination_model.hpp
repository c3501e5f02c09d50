// Expectations of click models in which examination depends on where a document was shown; see
// clicks/click_models/examination_model.py.
//
// A document of attractiveness a at a place of examination t is clicked with probability t a. Without a click, it was
// attractive with probability (a - t a) / (1 - t a), and examined with probability (t - t a) / (1 - t a); with a click it was
// both.
#pragma once

#include "span.hpp"

namespace directrank::examination_model {

// Impressions of each pair, counted by place: cells offsets[p] to offsets[p + 1] belong to pair p.
struct Cells {
    Span<const Index> offsets, place, shown, clicked;
};

// Expected numbers of attractive impressions of each pair and of examined impressions at each place, and the
// log-likelihood.
struct Expectations {
    Array<double> attractive, examined;
    double log_likelihood;
};

// Attractiveness and examination must be above 0 and below 1.
Expectations expectations(const Cells& cells, Span<const double> attractiveness, Span<const double> examination);

}  // namespace directrank::examination_model
