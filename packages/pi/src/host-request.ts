import { hostShare } from '@varve/adapters/message-list';
import type { JsonValue, ModelRef, ToolDefinition } from '@varve/core';
import type { PiApi, PiContext, PiModel } from './pi-api.ts';

/** The model that is asked, and what pi sends it beside messages. */
export interface HostRequest {
  readonly model: ModelRef;
  readonly tools: readonly ToolJson[];
  readonly system: readonly string[];
}

/** A tool that the model is told of. A type, since it is JSON, too. */
type ToolJson = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolDefinition['inputSchema'];
};

/** What prompts and compactions are asked for: what the host sends besides counts as tools. */
export interface ModelRequest {
  readonly model: ModelRef;
  readonly tools: readonly JsonValue[];
}

/** Reads what pi sends. @param addedSystem  Text at the end of the system prompt that is counted elsewhere. */
export function hostRequest(
  pi: PiApi,
  {
    context,
    model,
    addedSystem,
  }: { readonly context: PiContext; readonly model: PiModel; readonly addedSystem: string },
): HostRequest {
  const whole = context.getSystemPrompt?.() ?? '';
  const isExtended = addedSystem !== '' && whole.endsWith(addedSystem);
  const system = isExtended ? whole.slice(0, -addedSystem.length) : whole;
  const active = new Set(pi.getActiveTools?.() ?? []);
  const tools = (pi.getAllTools?.() ?? []).filter(({ name }) => active.has(name));
  return {
    model: { provider: model.provider, model: model.id },
    system: [system],
    tools: tools.map(({ name, description = '', parameters }) => {
      // Schemas of pi's tools carry symbols.
      return { name, description, inputSchema: JSON.parse(JSON.stringify(parameters ?? {})) };
    }),
  };
}

/** The same in the form in which a session counts it. */
export function withShare({ model, tools, system }: HostRequest): ModelRequest {
  return { model, tools: hostShare({ system, tools }) };
}
