import type { Stage } from '../stage.ts';
import type { Operation } from '../transcript-plan.ts';
import { ask } from './ask.ts';
import { compactNow } from './compaction.ts';
import { ingest } from './ingest.ts';

/** A window in which there is room for what is brought back, in tokens. */
const window = 6_000;

/** Questions about what is hidden by then, each with two prompts. */
const questions = 2;

/** Hides most of the conversation in a compaction and asks about it: what a strategy brings back then has to stay. */
export async function lookBack(
  stage: Stage,
  { pick }: Extract<Operation, { readonly do: 'look-back' }>,
): Promise<void> {
  const said = stage.appended.flatMap((entry) => (entry.type === 'message' ? [JSON.stringify(entry.message)] : []));
  await stage.close();
  stage.budget = window;
  await stage.open();
  await compactNow(stage, { trigger: 'manual' });
  const prompt = { do: 'ask', tools: false, dry: false, abort: 'never' } as const;
  for (let index = 0; index < questions; index += 1) {
    const words = said[(pick + index * 7) % Math.max(1, said.length)]?.match(/[\p{L}\p{N}]{4,20}/gu) ?? [];
    await ingest(stage, { role: 'user', content: `What of ${words.slice(2, 9).join(' ')}?` }, {});
    await ask(stage, prompt);
    await ingest(stage, { role: 'assistant', content: `That is number ${index}.` }, {});
    await ask(stage, prompt);
  }
}
