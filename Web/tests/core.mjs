// The core for tests in node: REUNION_CORE names the built module.

import { existsSync, readFileSync } from 'node:fs';
import { openCore } from '../core/calls.js';

const built = (name) => new URL(`../../.build/web/reunion/${name}`, import.meta.url);
export const path = process.env.REUNION_CORE ?? built('core.wasm');
/** The core of registers alone, which the apps ship. */
export const smallPath = built('registers.wasm');

/** The core, or null if it has not been built. */
export const core = existsSync(path) ? await openCore(new Uint8Array(readFileSync(path))) : null;
export const skip = core ? false : 'core.wasm is not built (Web/core/build.sh, REUNION_CORE)';
