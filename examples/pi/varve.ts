// Varve in pi, with options of your own. Run it with: pi -e ./varve.ts
// or put it into ~/.pi/agent/extensions, with @varve/pi installed beside it.
import { type PiApi, varveInPi } from '@varve/pi';
import { strata } from '@varve/preset-strata';

const extension: (pi: PiApi) => void = varveInPi({
  // Journals beside the project instead of beside pi's sessions.
  root: '.varve',
  // What the provider's prompt cache costs decides when old results of tools are pruned.
  plugins: strata({ prices: 'anthropic-1h' }),
  // No prompt larger than this, however large the model's window is.
  budget: { contextTokens: 120_000 },
});

export default extension;
