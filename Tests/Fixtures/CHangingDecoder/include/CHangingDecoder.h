#ifndef REUNION_CHANGINGDECODER_H
#define REUNION_CHANGINGDECODER_H

/// A fault in the decoder of whatever links this: it never comes back from a picture that is 4242
/// pixels wide. Call it once, so that the linker keeps the fault.
void changingdecoder_arm(void);

#endif
