import type { Prompt } from '@varve/core';
import { bodyFor } from '../bodies/provider-body.ts';
import type { Stage } from '../stage.ts';
import type { Operation } from '../transcript-plan.ts';
import { signalFor } from './abort-signal.ts';
import { tools, tryAssemble } from './try-assemble.ts';

const toolTokens = Math.ceil(JSON.stringify(tools).length / 4);

/** Asks for a prompt, with or without a dry run before, and makes the body that it is sent in. */
export async function ask(
  stage: Stage,
  { tools: withTools, dry, abort }: Extract<Operation, { readonly do: 'ask' }>,
): Promise<void> {
  const before = stage.appended.length;
  const first = dry ? await tryAssemble(stage, { dryRun: true, tools: withTools }) : null;
  if (dry) stage.see({ kind: 'same', what: 'dry-run-length', a: before, b: stage.appended.length });
  const signal = signalFor(abort);
  const answer = await tryAssemble(stage, {
    dryRun: false,
    tools: withTools,
    ...(signal === undefined ? {} : { signal }),
  });
  if (dry) stage.see({ kind: 'same', what: 'dry-run', a: first, b: answer });
  const allowed = { input: stage.budget ?? Infinity, reserved: withTools ? toolTokens : 0 };
  if ('manifest' in answer) {
    stage.see({ kind: 'prompt', prompt: answer, isFirst: stage.isFirst, ...allowed });
    stage.isFirst = false;
    seeBody(stage, answer);
    for (const { kind } of answer.manifest.actions) stage.count(`action ${kind}`);
    if (answer.manifest.entries.some(({ kind }) => kind === 'dropped')) stage.count('prompt that leaves out');
    stage.count('prompt');
  } else if (answer.code === 'VARVE_BUDGET_IMPOSSIBLE') {
    const { provider, model } = stage.model;
    const hasLayers = stage.plan.strategy === 'hostile';
    const at = { storedSeq: stage.appended.length, model: `${provider}/${model}`, hasLayers };
    stage.see({ kind: 'impossible', details: answer.details, ...at, ...allowed });
    stage.count('impossible');
  } else stage.count('assembly aborted');
}

/** Tools are declared whether or not they were counted: providers want those of the calls in a conversation. */
function seeBody(stage: Stage, prompt: Prompt): void {
  const { provider } = stage.plan;
  stage.see({ kind: 'body', provider, prompt, body: bodyFor(provider, { prompt, tools }) });
}
