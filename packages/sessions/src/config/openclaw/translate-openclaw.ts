import { translateAgents } from './translate-agents.ts';
import { translateBindings } from './translate-bindings.ts';
import { translateModels } from './translate-models.ts';
import { translateSession } from './translate-session.ts';
import { createTranslation, type Translated } from './translation.ts';

const digest = 'is not read: a compaction is a digest of what was said, with prose beside it.';
const room = 'is not read: a fifth of the window is left for the answer (budget.outputReserveRatio).';

/** Why something is not read, where that can be said better than that it is not. */
const notes: Readonly<Record<string, string>> = {
  channels: 'is not read: how channels are reached is up to the program that runs them.',
  gateway: 'is not read: the gateway has options of its own.',
  plugins: 'is not read: plugins of OpenClaw do not run here.',
  'messages.queue': 'is not read: turns of a session run one after the other, and nothing is dropped.',
  'session.agentToAgent': 'is not read: agents answer each other through the send policy.',
  'session.threadBindings': 'is not read: a thread has a conversation of its own.',
  'session.maintenance.rotateBytes': 'is not read: there is no index that grows.',
  'session.maintenance.coldStorage':
    'is not read: session.maintenance.compressAfter says when archived journals are compressed.',
  'tools.sessions': 'is not read: a session sees those that it began.',
};

/** The same for settings of agents, wherever they stand. */
const agentNotes: Readonly<Record<string, string>> = {
  'compaction.mode': digest,
  'compaction.recentTurnsPreserve': digest,
  'compaction.qualityGuard': 'is not read: prose is always checked against what it is about.',
  'compaction.identifierPolicy': 'is not read: identifiers are kept in the ledger of the digest.',
  'compaction.maxHistoryShare': digest,
  'compaction.reserveTokens': room,
  'compaction.reserveTokensFloor': room,
  'compaction.postCompactionSections':
    'is not read: workspace files are in every prompt, not only behind a compaction.',
  'compaction.memoryFlush.softThresholdTokens': 'is not read: notes are written right before a compaction.',
  'compaction.memoryFlush.forceFlushTranscriptBytes': 'is not read: notes are written right before a compaction.',
};

/** What a file of OpenClaw says, in the words of Varve. Nothing that it says is passed over without a warning. */
export function translateOpenClaw(
  raw: unknown,
  options: { readonly env?: Readonly<Record<string, string | undefined>> | undefined } = {},
): Translated {
  const translation = createTranslation(raw, options);
  translateSession(translation);
  translateAgents(translation);
  translateModels(translation);
  translateBindings(translation);
  const all: Record<string, string> = { ...notes };
  for (const root of ['agents.defaults', 'agent', 'agent.defaults']) {
    for (const [name, text] of Object.entries(agentNotes)) all[`${root}.${name}`] = text;
  }
  if (translation.look(['plugins', 'slots', 'contextEngine']) === 'legacy')
    translation.read(['plugins', 'slots', 'contextEngine']);
  return translation.finish(all);
}
