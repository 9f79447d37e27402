// What buttons and sentences of drawers and notices say. An app sets them before it shows any.

/** `close`, `ok`, `copy`, `copied`, `code` (of a QR code's picture) and `failed` (where nobody answers). */
export const frameWords = { close: '', ok: '', copy: '', copied: '', code: '', failed: '' };
