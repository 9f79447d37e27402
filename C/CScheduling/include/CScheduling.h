#ifndef REUNION_CSCHEDULING_H
#define REUNION_CSCHEDULING_H

/// Asks for turns of this length on the processor: 100,000 to 100,000,000 nanoseconds, or 0 for the
/// usual ones. They are for the thread that calls, and for all threads and programs that it starts
/// from then on.
///
/// Of two that wait, the one with the shorter turns goes first when it wakes: for a server that has little
/// to do and is waited for. It gets no more of the processor by it. Linux from 6.12 on does so; others take
/// no notice.
void reunion_ask_for_turns(unsigned long long nanoseconds);

/// Has the system begin to write this part of a file to its disk, and waits only where the disk has
/// more to do than it can be told. Whoever syncs another file meanwhile waits for less. It makes nothing
/// safe: sync the file in the end. Linux does so; others take no notice.
void reunion_begin_writing(int descriptor, long long offset, long long count);

#endif
