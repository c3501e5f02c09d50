// Click probabilities of models in which a user goes down the documents of a session; see
// clicks/click_models/chain_model.py.
#pragma once

#include "span.hpp"

namespace directrank::chain_model {

// Attractiveness of the documents of a session, and the probability to go on after a document that was clicked, or examined
// and not clicked.
struct Session {
    Span<const double> attractiveness, after_click, after_skip;
};

// Probability of a click on each document, given the clicks above it.
inline void given_clicks(const Session& session, Span<const bool> clicked, Span<double> probability) {
    double examined = 1;
    for (Index i = 0; i < clicked.size(); ++i) {
        const double a = session.attractiveness[i];
        probability[i] = examined * a;
        if (clicked[i]) {
            examined = session.after_click[i];
        } else {
            const double no_click = 1 - examined * a;  // 0 only if a document that is sure to be clicked was not
            examined = session.after_skip[i] * (no_click > 0 ? examined * (1 - a) / no_click : 1);
        }
    }
}

// Probability of a click on each document, whatever is clicked above it.
inline void marginals(const Session& session, Span<double> probability) {
    double examined = 1;
    for (Index i = 0; i < probability.size(); ++i) {
        const double a = session.attractiveness[i];
        probability[i] = examined * a;
        examined *= a * session.after_click[i] + (1 - a) * session.after_skip[i];
    }
}

}  // namespace directrank::chain_model
