#pragma once
#include <stdbool.h>
#include <stdint.h>

/// Whether allocations can be counted on this platform (Linux with glibc).
bool allocations_can_count(void);
/// Starts counting from zero, on all threads.
void allocations_start(void);
/// Stops counting. What was counted stays readable.
void allocations_stop(void);
/// How many blocks were allocated between start and stop.
int64_t allocations_count(void);
/// The bytes that were allocated less those that were freed between start and stop.
int64_t allocations_held_bytes(void);
