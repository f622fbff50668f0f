import type { PiApi } from './pi-api.ts';
import { varveInPi } from './varve-in-pi.ts';

export type { ConversationOptions } from './conversations.ts';
export type { PiApi, PiCommand, PiContext, PiEntry, PiModel, PiSessionManager, PiTool, PiToolInfo } from './pi-api.ts';
export type { PiOptions } from './pi-options.ts';
export { varveInPi } from './varve-in-pi.ts';

const extension: (pi: PiApi) => void = varveInPi();

/** The extension with its defaults, as pi loads it from a package. */
export default extension;
