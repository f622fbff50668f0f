import type { AgentPlaces } from './translate-agent.ts';
import type { Translation } from './translation.ts';

/** Settings that have the same name and meaning. */
const same = [
  ...['ttl', 'keepLastAssistants', 'softTrimRatio', 'hardClearRatio', 'minPrunableToolChars'],
  ...['softTrim', 'hardClear', 'tools'],
];

/** `contextPruning`: the plugin `ttl-pruning` in the mode of the same name. */
export function translatePruning({ read, look, put, copy, warn }: Translation, { from, to }: AgentPlaces): void {
  if (look(from) === undefined) return;
  const at = [...from, 'mode'];
  const mode = read(at);
  if (mode === 'off') put([...to, 'enabled'], false, at);
  else {
    put([...to, 'mode'], 'cache-ttl', mode === undefined ? from : at);
    const told = mode === 'cache-ttl' || mode === undefined ? '' : `${JSON.stringify(mode)} is read as "cache-ttl": `;
    const text = 'pruned results stay pruned until the next compaction, images stay, and every provider is pruned for.';
    warn(mode === undefined ? from : at, `${told}${text}`);
  }
  // In the mode "off" nothing is pruned, whatever else is said; the words are read all the same.
  for (const name of same) mode === 'off' ? read([...from, name]) : copy([...from, name], [...to, name]);
}
