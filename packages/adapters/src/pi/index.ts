export { type FromPiOptions, fromPi, type ListedPiMessage } from './from-pi.ts';
export type { PiMessage } from './pi-message.ts';
export { type PiModelName, type ToPiOptions, toPi } from './to-pi.ts';
