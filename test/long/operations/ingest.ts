import type { Stage } from '../stage.ts';
import type { Operation } from '../transcript-plan.ts';

/** Says the next thing of the conversation. */
export async function say(
  stage: Stage,
  { index, provenance }: Extract<Operation, { readonly do: 'say' }>,
): Promise<void> {
  const utterance = stage.plan.conversation.utterances[index];
  if (utterance === undefined) return;
  const { message, key } = utterance;
  return ingest(stage, message, {
    ...(key === undefined ? {} : { key }),
    ...(provenance === 'user' ? {} : { provenance: { kind: provenance } }),
  });
}

/** Puts a message into the session. */
export async function ingest(
  stage: Stage,
  message: Parameters<Stage['session']['ingest']>[0],
  options: NonNullable<Parameters<Stage['session']['ingest']>[1]>,
): Promise<void> {
  const entry = await stage.session.ingest(message, options);
  stage.see({ kind: 'ingest', entryId: entry.id, message, key: options.key ?? null });
}
