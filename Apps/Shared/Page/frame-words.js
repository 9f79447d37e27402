// What buttons and sentences of drawers and notices say. An app sets them before it shows any.

/**
 * `close`, `ok`, `copy`, `copied`, `code` (of a QR code's picture), `failed` (when nobody answers), `old` (when a
 * page is too old for what a space holds) and `reload` (the button there), `unread` (of what this browser kept and
 * cannot read).
 */
export const frameWords = {
  close: '', ok: '', copy: '', copied: '', code: '', failed: '', old: '', reload: '', unread: '',
};
