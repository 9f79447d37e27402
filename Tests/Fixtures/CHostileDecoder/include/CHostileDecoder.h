#ifndef REUNION_HOSTILEDECODER_H
#define REUNION_HOSTILEDECODER_H

/// Faults in the decoder of whatever links this, each for pictures of one width. Call it once, so that
/// the linker keeps them.
///
/// It never comes back from a picture that is 4242 pixels wide. At 4300 and the number of an attempt it is
/// taken over by who wants out: it does what the attempt says, and ends the process with 64 where that
/// succeeded, and 65 where it failed. At 4400 and the number, a thread does so that was there before the
/// first picture.
void hostiledecoder_arm(void);

#endif
