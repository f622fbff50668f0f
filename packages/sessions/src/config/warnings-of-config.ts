import { createRouting } from '../route/create-routing.ts';
import type { ConfigWarning } from './config-warning.ts';
import { didYouMean } from './near-names.ts';
import { pathText } from './path-text.ts';
import { routingOptionsOf } from './routing-options-of.ts';
import type { VarveConfig } from './varve-config.ts';

/** What a configuration that holds together says without effect, or likely by mistake. */
export function warningsOfConfig(config: VarveConfig): readonly ConfigWarning[] {
  const routing = createRouting(routingOptionsOf(config)).warnings.map((warning) => {
    const [, text = warning] = /^identityLinks: (.*)$/.exec(warning) ?? [];
    return { path: 'session.identityLinks', text };
  });
  return [...routing, ...bindingWarnings(config), ...wishWarnings(config)];
}

function bindingWarnings({ session = {}, agents = {} }: VarveConfig): readonly ConfigWarning[] {
  const ids = Object.keys(agents);
  if (ids.length === 0) return [];
  return (session.bindings ?? []).flatMap(({ agentId }, index) => {
    if (ids.includes(agentId)) return [];
    const hint = didYouMean(agentId, ids, 'What holds for all agents holds for it.');
    return [
      {
        path: pathText(['session', 'bindings', index, 'agentId']),
        text: `"${agentId}" is not among the agents. ${hint}`,
      },
    ];
  });
}

/** Wishes that the budget may cap. */
const wishes = ['keepRecentMessages', 'keepRecentTokens'] as const;

function wishWarnings(config: VarveConfig): readonly ConfigWarning[] {
  const sections = [
    { at: ['global'], compaction: config.global?.compaction },
    ...Object.entries(config.agents ?? {}).map(([id, { compaction }]) => ({ at: ['agents', id], compaction })),
  ];
  return sections.flatMap(({ at, compaction = {} }) =>
    wishes.flatMap((wish) => {
      const value = compaction[wish];
      if (typeof value !== 'number') return [];
      const text = `${value} is a wish: a compaction keeps them as far as the budget has room behind the digest.`;
      return [{ path: pathText([...at, 'compaction', wish]), text }];
    }),
  );
}
