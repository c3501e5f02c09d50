// Function clones for wider vectors, chosen at load time.
//
// DIRECTRANK_CLONES before a plain function (not a template, not inline) compiles it for AVX2 and AVX-512 as well; the
// clone for this processor is chosen when the module is loaded. Inlined callees are compiled with it. No operation is
// reassociated or contracted, so all clones give the same bits. A sum vectorises only in explicit lanes.
#pragma once

#ifdef DIRECTRANK_HAS_CLONES
#define DIRECTRANK_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4"), flatten))
#else
#define DIRECTRANK_CLONES
#endif

// Before a loop with independent iterations, which the compiler cannot prove if arrays may alias.
#if defined(__clang__)
#define DIRECTRANK_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define DIRECTRANK_INDEPENDENT _Pragma("GCC ivdep")
#else
#define DIRECTRANK_INDEPENDENT
#endif

// DIRECTRANK_UNROLL before a loop makes GCC unroll it, which pays off in memory-bound loops.
#if defined(__GNUC__) && !defined(__clang__)
#define DIRECTRANK_UNROLL _Pragma("GCC unroll 4")
#else
#define DIRECTRANK_UNROLL
#endif
