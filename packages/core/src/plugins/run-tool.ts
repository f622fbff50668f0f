import { messageOfError, VarveError } from '../errors.ts';
import { messageSchema, type ToolOutput } from '../message.ts';
import { storableJson } from '../storable-json.ts';
import { toolError, toolFailure } from '../tool-error.ts';
import { callWithDeadline } from './call-with-deadline.ts';
import type { GuardedRun } from './guarded-run.ts';
import type { HookContext } from './hook-context.ts';
import type { ToolContext } from './plugin-tool.ts';
import type { RegisteredTool } from './tool-registry.ts';

/** Levels of arrays and objects that an output may have: more is a cycle, or nothing that a model can read. */
const deepestOutput = 100;
/** Problems of an input that a model is told. */
const mostIssues = 10;

/** What a call of a tool came to. */
export interface ToolRun {
  readonly output: ToolOutput;
  /** True when the tool itself answered, so that what it recorded is to be stored. */
  readonly isDone: boolean;
}

/**
 * Answers a call of a plugin's tool: checks the input, runs it with a deadline and a context that dies with the call,
 * and checks what it gives back. What goes wrong is told to the model; a failure also to health and events, under the
 * plugin's name.
 *
 * @throws VARVE_ABORTED  when the caller aborted.
 */
export async function runTool(
  registered: RegisteredTool,
  call: { readonly input: unknown; readonly toolCallId: string },
  run: GuardedRun,
): Promise<ToolRun> {
  const { plugin, definition, deadlineMs } = registered;
  const { name } = definition;
  const where = `tool: ${name}`;
  const startedAt = run.clock.now();
  try {
    const result = await callWithDeadline((context) => answer(registered, call, context), {
      plugin,
      where,
      rule: { deadlineMs },
      run,
    });
    run.health.breakerOf(plugin, where).succeeded();
    const { toolCallId } = call;
    run.events.emit('tool-finished', { plugin, tool: name, toolCallId, ms: run.clock.now() - startedAt });
    return result;
  } catch (error) {
    if (run.signal?.aborted === true && VarveError.is(error, 'VARVE_ABORTED')) throw error;
    // A tool is never left out: whether it is worth another call is the model's to decide.
    run.health.failed(plugin, where, { error, at: run.clock.now(), skips: false });
    run.events.emit('plugin-failed', { plugin, hook: 'tool', tap: name, error: messageOfError(error) });
    return { output: failureOf(registered, error), isDone: false };
  }
}

async function answer(
  { definition, tool }: RegisteredTool,
  call: { readonly input: unknown; readonly toolCallId: string },
  context: HookContext,
): Promise<ToolRun> {
  const parsed = await tool.input.safeParseAsync(call.input);
  if (!parsed.success) {
    const issues = parsed.error.issues.slice(0, mostIssues);
    const lines = issues.map(({ path, message }) => `- ${path.map(String).join('.') || 'input'}: ${message}`);
    const text = `The input of "${definition.name}" is not valid:\n${lines.join('\n')}\nCorrect it and call the tool again.`;
    return { output: toolError(text), isDone: false };
  }
  const output = await tool.execute(parsed.data, contextOfTool(context, call.toolCallId));
  return { output: checkOutput(output), isDone: true };
}

/** The part of a context that tools have. Each of its members is revoked with the whole. */
function contextOfTool(context: HookContext, toolCallId: string): ToolContext {
  const { session, signal, deadline, now, countTokens, readEntries, getEntries, record, warn } = context;
  const reading = { readEntries, getEntries };
  return Object.freeze({ session, signal, deadline, now, countTokens, ...reading, record, warn, toolCallId });
}

/** What a tool gave back, as JSON of core's own. @throws VARVE_PLUGIN_FAILED */
function checkOutput(given: unknown): ToolOutput {
  if (typeof given === 'string') return { type: 'text', value: given };
  const json = storableJson(given, { maxDepth: deepestOutput });
  if (json.why !== undefined)
    throw badOutput(`The tool returned something that is not JSON at ${json.path}: ${json.why}.`);
  const part = { type: 'tool-result', toolCallId: '', toolName: '', output: json.value };
  const parsed = messageSchema.safeParse({ role: 'tool', content: [part] });
  if (!parsed.success) throw badOutput('The tool returned something that is no tool output.');
  return json.value as unknown as ToolOutput;
}

function badOutput(message: string): VarveError {
  return new VarveError('VARVE_PLUGIN_FAILED', message, {
    fix: 'Return a string, or { type, value } with type "text", "json", "content", "error-text" or "error-json".',
  });
}

function failureOf({ definition, deadlineMs }: RegisteredTool, error: unknown): ToolOutput {
  const { name } = definition;
  if (!VarveError.is(error, 'VARVE_TAP_TIMEOUT')) return toolFailure(name, error);
  return toolError(
    `The tool "${name}" did not finish within ${deadlineMs / 1_000} s. Ask it for less, or go on without it.`,
  );
}
