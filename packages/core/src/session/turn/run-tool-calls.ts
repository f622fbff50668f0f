import { VarveError } from '../../errors.ts';
import {
  type AssistantMessage,
  type ToolCallPart,
  type ToolOutput,
  type ToolResultPart,
  toolCallsOfMessage,
} from '../../message.ts';
import { toolError, toolFailure, unreadableArguments } from '../../tool-error.ts';
import type { TurnToolCall } from './turn-record.ts';
import type { TurnTools } from './turn-tools.ts';

/** How calls are run, and where their results go. */
interface ToolCallRun {
  readonly tools: TurnTools;
  readonly signal: AbortSignal;
  /** Stores a result; called for each as soon as it is there. */
  store(result: ToolResultPart): Promise<void>;
}

/** Ends of an answer after which its last call may be half of one: none of them is run. */
const cutOff: readonly AssistantMessage['stop'][] = ['length', 'content-filter', 'error', 'aborted'];

/** True when an answer ended before it was whole. */
export function isCutOff({ stop }: AssistantMessage): boolean {
  return cutOff.includes(stop);
}

interface Ended {
  readonly status: TurnToolCall['status'];
  readonly output: ToolOutput;
}

/**
 * Runs the calls of an answer at the same time, each id once, and stores a result for every call whatever happens: what
 * goes wrong is told to the model. Resolves when all are stored.
 *
 * @throws  the first error of storing, after all others are stored.
 */
export async function runToolCalls(message: AssistantMessage, run: ToolCallRun): Promise<readonly TurnToolCall[]> {
  const started = new Map<string, StartedCall>();
  const calls = toolCallsOfMessage(message).map((call) => {
    const { toolCallId, toolName } = call;
    const before = started.get(toolCallId);
    const what = before?.what ?? JSON.stringify([toolName, call.input]);
    const ended = before === undefined ? endOf(call, { message, run }) : againOf(before, call);
    const stored = (async (): Promise<TurnToolCall> => {
      const { status, output } = await ended;
      // Results under one id are told apart by their order alone: that of their calls.
      await before?.stored.catch(() => undefined);
      await storeResult({ type: 'tool-result', toolCallId, toolName, output }, run);
      return { toolCallId, toolName, status };
    })();
    started.set(toolCallId, { what, ended: before?.ended ?? ended, stored });
    return stored;
  });
  const settled = await Promise.allSettled(calls);
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

/** The first call under an id, how it ended, and when the last result under that id is stored. */
interface StartedCall {
  readonly what: string;
  readonly ended: Promise<Ended>;
  readonly stored: Promise<unknown>;
}

/** A second call under the id of another: the same call has the same result, another one is not run. */
async function againOf(first: StartedCall, { toolName, input }: ToolCallPart): Promise<Ended> {
  if (first.what === JSON.stringify([toolName, input])) return first.ended;
  return { status: 'error', output: toolError('Not run: another call has the same id. Call the tool again.') };
}

async function endOf(
  call: ToolCallPart,
  { message, run }: { readonly message: AssistantMessage; readonly run: ToolCallRun },
): Promise<Ended> {
  const { tools, signal } = run;
  if (isCutOff(message)) {
    const text = 'Not run: the answer ended before it was whole, and this call may be a part of one. Call it again.';
    return { status: 'not-run', output: toolError(text) };
  }
  if (signal.aborted) return { status: 'aborted', output: toolError('Not run: the turn was aborted before.') };
  const unreadable = unreadableArguments(call);
  if (unreadable !== null) return { status: 'error', output: unreadable };
  const tool = tools.get(call.toolName);
  if (tool === undefined) return { status: 'error', output: toolError(unknownText(call.toolName, tools)) };
  try {
    const output = await tool.run(call, signal);
    return { status: output.type.startsWith('error') ? 'error' : 'done', output };
  } catch (error) {
    if (signal.aborted) {
      const text = 'Aborted before it gave a result. It may have done a part of its work.';
      return { status: 'aborted', output: toolError(text) };
    }
    return { status: 'error', output: toolFailure(call.toolName, error) };
  }
}

/** A plugin may refuse what a tool gave; that its call has a result is not the plugin's to decide. */
async function storeResult(result: ToolResultPart, { store }: ToolCallRun): Promise<void> {
  try {
    await store(result);
  } catch (error) {
    if (!VarveError.is(error, 'VARVE_INGEST_REFUSED')) throw error;
    await store({ ...result, output: toolError(`The result is not shown: ${error.message}`) });
  }
}

function unknownText(name: string, tools: TurnTools): string {
  const names = [...tools.keys()];
  return `There is no tool "${name}". ${names.length === 0 ? 'There are none.' : `There are: ${names.join(', ')}.`}`;
}
