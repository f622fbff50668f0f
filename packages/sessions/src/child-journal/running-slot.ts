import type { Milliseconds, Session } from '@varve/core';
import { stateOfSession } from '@varve/core/host';
import { z } from 'zod';

/** The state slot in which a conversation's model sees the sub-agents that work for it. */
export const runningSlot = 'subagents';

/** A sub-agent that is in the slot without what it says of itself for so long was never begun. */
export const beginningMs: Milliseconds = 60_000;

/** A sub-agent whose end is not with its parent yet, as the slot says. */
export interface RunningChild {
  readonly key: string;
  readonly label: string;
  readonly since: Milliseconds;
}

const heading = 'These sub-agents are at work. Each tells its result here by itself: do not begin it again, nor wait.';

const lineSchema = z.object({ key: z.string(), label: z.string(), since: z.iso.datetime() });

/** The sub-agents that work for a conversation, in the order in which they began. */
export function runningChildren(session: Session): readonly RunningChild[] {
  const text = stateOfSession(session).state[runningSlot] ?? '';
  return text.split('\n').flatMap((line) => {
    const child = readLine(line);
    return child === null ? [] : [child];
  });
}

/** Puts a sub-agent into the slot, unless it is there. */
export async function addRunning(session: Session, child: RunningChild): Promise<void> {
  const known = runningChildren(session);
  if (known.some(({ key }) => key === child.key)) return;
  await session.setState(runningSlot, textOf([...known, child]));
}

/** Takes a sub-agent out of the slot, where it is there. */
export async function removeRunning(session: Session, childKey: string): Promise<void> {
  const known = runningChildren(session);
  const left = known.filter(({ key }) => key !== childKey);
  if (left.length === known.length) return;
  await session.setState(runningSlot, left.length === 0 ? null : textOf(left));
}

function textOf(children: readonly RunningChild[]): string {
  const lines = children.map(({ key, label, since }) =>
    JSON.stringify({ label, key, since: new Date(since).toISOString() }),
  );
  return [heading, ...lines.map((line) => `- ${line}`)].join('\n');
}

function readLine(line: string): RunningChild | null {
  if (!line.startsWith('- {')) return null;
  try {
    const { data } = lineSchema.safeParse(JSON.parse(line.slice(2)));
    return data === undefined ? null : { key: data.key, label: data.label, since: Date.parse(data.since) };
  } catch {
    return null;
  }
}
