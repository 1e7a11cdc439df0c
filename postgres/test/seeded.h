/* For tests alone, never part of the extension: training with a noise seed, to compare engines bit by bit. */
#ifndef SOTTO_TEST_SEEDED_H
#define SOTTO_TEST_SEEDED_H

#include "capi/sotto_c.h"

#ifdef __cplusplus
extern "C" {
#endif
/* Trains from the host's blocks, with several numbers of threads, and once from `values` in memory (the same blocks, one
 * after the other), with the same seeds; *same is 1 if every bit of the weights agrees. */
sotto_status sotto_test_engines_agree(const sotto_rows* rows, const float* values, const char* request, int* same,
                                      sotto_error* error);
/* The seconds of processor time that training takes from the host's blocks and from `values` in memory, and that reading
 * and checking the blocks takes. */
sotto_status sotto_test_pass_time(const sotto_rows* rows, const float* values, const char* request, double times[3],
                                  sotto_error* error);
#ifdef __cplusplus
}
#endif
#endif
