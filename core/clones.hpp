// Wider vectors where the processor has them.
//
// DIRECTRANK_CLONES before a plain function (not a template, not inline) has it compiled for AVX2 and AVX-512 as well, and
// the one for this processor chosen when the module is loaded; what it calls is inlined and compiled along. No operation is
// reassociated or contracted, so all of them give the same bits. A sum vectorises only in lanes that are written out.
#pragma once

#ifdef DIRECTRANK_HAS_CLONES
#define DIRECTRANK_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4"), flatten))
#else
#define DIRECTRANK_CLONES
#endif

// Before a loop whose iterations do not depend on one another, which arrays that might overlap would hide.
#if defined(__clang__)
#define DIRECTRANK_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define DIRECTRANK_INDEPENDENT _Pragma("GCC ivdep")
#else
#define DIRECTRANK_INDEPENDENT
#endif

// DIRECTRANK_UNROLL before a loop has GCC unroll it, which pays where the time goes into memory.
#if defined(__GNUC__) && !defined(__clang__)
#define DIRECTRANK_UNROLL _Pragma("GCC unroll 4")
#else
#define DIRECTRANK_UNROLL
#endif
