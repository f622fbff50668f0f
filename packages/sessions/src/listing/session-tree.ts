import type { Milliseconds, SessionRecord, Tokens } from '@varve/core';
import { becameCurrentAt } from '../generation/generations.ts';
import { type FindParts, findRecords } from './find-records.ts';
import { type ConversationKind, conversationKinds, factsOfKey } from './key-facts.ts';
import { checkFilter, orderValue, type SessionFilter } from './session-list-query.ts';

/** Sums over all sessions below a branch. */
export interface BranchTotals {
  /** Sessions, archived ones too. */
  readonly sessions: number;
  readonly archived: number;
  readonly messages: number;
  /** Sizes of the last prompts of open sessions. */
  readonly promptTokens: Tokens;
  /** All tokens that providers reported. */
  readonly spentTokens: Tokens;
  /** When one of them was updated last; 0 for none. */
  readonly updatedAt: Milliseconds;
}

/** One session of a conversation. */
export interface GenerationLeaf {
  readonly sessionId: string;
  readonly state: SessionRecord['state'];
  /** Whether it is the one that goes on. */
  readonly isCurrent: boolean;
  readonly label: string | null;
  readonly displayName: string | null;
  readonly messages: number;
  readonly promptTokens: Tokens;
  readonly spentTokens: Tokens;
  readonly updatedAt: Milliseconds;
}

/** A conversation: its generations, and the conversations that belong to it. */
export interface ConversationBranch {
  /** `null` for a session without a key. */
  readonly key: string | null;
  readonly kind: ConversationKind;
  /** In words, for people. */
  readonly words: string;
  /** The same where agent and kind are known already: `telegram 123`, `topic 7`. */
  readonly name: string;
  /** Of its generations and of all that is below it. */
  readonly totals: BranchTotals;
  /** Current since last first, as `sessions.generations` gives them. Empty where only what is below it is known. */
  readonly generations: readonly GenerationLeaf[];
  /** Sub-agents, runs of a job, threads of a room; last updated first. */
  readonly children: readonly ConversationBranch[];
}

/** All conversations of one kind. */
export interface KindBranch {
  readonly kind: ConversationKind;
  readonly totals: BranchTotals;
  /** Last updated first. */
  readonly conversations: readonly ConversationBranch[];
}

/** All conversations of one agent. */
export interface AgentBranch {
  readonly agentId: string;
  readonly totals: BranchTotals;
  readonly kinds: readonly KindBranch[];
}

/** The sessions of a store: agent, kind, conversation, generation. Agents are in the order of their names. */
export interface SessionTree {
  readonly totals: BranchTotals;
  readonly agents: readonly AgentBranch[];
}

/** Branches lie no deeper in each other; what would stands at the top. So does what names itself as its own parent. */
const deepest = 32;

interface Node {
  readonly key: string | null;
  readonly agentId: string;
  readonly kind: ConversationKind;
  readonly words: string;
  readonly name: string;
  readonly parentKey: string | null;
  readonly leaves: Leaf[];
  readonly children: Node[];
}

type Leaf = Omit<GenerationLeaf, 'isCurrent'> & { readonly currentSince: Milliseconds | null };

/**
 * The sessions that a filter lets through, as a tree. A conversation whose parent is not among them stands beside the
 * others of its kind. Keeps a few figures of each session in memory.
 *
 * @throws VARVE_OPTION_INVALID
 */
export async function sessionTree(parts: FindParts, filter: SessionFilter = {}): Promise<SessionTree> {
  checkFilter(filter, 'sessions.tree');
  const nodes = new Map<string, Node>();
  for await (const record of findRecords(parts, filter)) addRecord(nodes, record);
  const roots: Node[] = [];
  for (const node of nodes.values()) {
    const parent = parentOf(nodes, node);
    if (parent === null) roots.push(node);
    else parent.children.push(node);
  }
  return treeOf(roots);
}

/** Puts a record to its conversation. A room that only has threads, and a job that only has runs, are there, too. */
function addRecord(nodes: Map<string, Node>, record: SessionRecord): void {
  const { key, agentId, sessionId } = record;
  const place = key === null ? `session ${sessionId}` : placeOf(key);
  const known = nodes.get(place);
  if (known !== undefined) {
    known.leaves.push(leafOf(record));
    return;
  }
  const { kind, words, name, above } = factsOfKey(record);
  const parentKey = record.parentSessionKey ?? above;
  nodes.set(place, { key, agentId, kind, words, name, parentKey, leaves: [leafOf(record)], children: [] });
  if (above === null || parentKey !== above || nodes.has(placeOf(above))) return;
  const { peer: _peer, above: _above, ...facts } = factsOfKey({ key: above, sessionId });
  nodes.set(placeOf(above), { ...facts, key: above, agentId, parentKey: null, leaves: [], children: [] });
}

/** Keys and session ids are names of their own. */
function placeOf(key: string): string {
  return `key ${key}`;
}

/** The node that another one belongs below; `null` where there is none, or where it would lie too deep. */
function parentOf(nodes: ReadonlyMap<string, Node>, node: Node): Node | null {
  const up = ({ parentKey }: Node): Node | undefined =>
    parentKey === null ? undefined : nodes.get(placeOf(parentKey));
  const parent = up(node);
  let above = parent;
  for (let steps = 1; above !== undefined; steps += 1) {
    if (above === node || steps > deepest) return null;
    above = up(above);
  }
  return parent ?? null;
}

function treeOf(roots: readonly Node[]): SessionTree {
  const agents = [...groupBy(roots, ({ agentId }) => agentId)].sort(([a], [b]) => (a < b ? -1 : 1));
  const branches = agents.map(([agentId, nodes]): AgentBranch => {
    const byKind = groupBy(nodes, ({ kind }) => kind);
    const kinds = conversationKinds.flatMap((kind): KindBranch[] => {
      const conversations = (byKind.get(kind) ?? []).map(branchOf).sort(lastUpdatedFirst);
      return conversations.length === 0 ? [] : [{ kind, totals: sumOf(conversations), conversations }];
    });
    return { agentId, totals: sumOf(kinds), kinds };
  });
  return { totals: sumOf(branches), agents: branches };
}

function branchOf(node: Node): ConversationBranch {
  const { key, kind, words, name } = node;
  const children = node.children.map(branchOf).sort(lastUpdatedFirst);
  const leaves = [...node.leaves].sort(byCurrency);
  const current = leaves.find(({ state, currentSince }) => state === 'open' && currentSince !== null);
  const generations = leaves.map(({ currentSince: _, ...leaf }): GenerationLeaf => {
    return { ...leaf, isCurrent: leaf.sessionId === current?.sessionId };
  });
  const own = generations.map((leaf) => ({ totals: totalsOf(leaf) }));
  return { key, kind, words, name, totals: sumOf([...own, ...children]), generations, children };
}

function leafOf(record: SessionRecord): Leaf {
  const { sessionId, state, label, displayName, updatedAt } = record;
  const currentSince = becameCurrentAt(record);
  const { messages, totalTokens: promptTokens } = record.counters;
  const spentTokens = orderValue(record, 'spent');
  return { sessionId, state, label, displayName, currentSince, messages, promptTokens, spentTokens, updatedAt };
}

function totalsOf({ state, messages, promptTokens, spentTokens, updatedAt }: GenerationLeaf): BranchTotals {
  const isOpen = state === 'open';
  const open = isOpen ? promptTokens : 0;
  return { sessions: 1, archived: isOpen ? 0 : 1, messages, promptTokens: open, spentTokens, updatedAt };
}

function sumOf(branches: readonly { readonly totals: BranchTotals }[]): BranchTotals {
  const sum = { sessions: 0, archived: 0, messages: 0, promptTokens: 0, spentTokens: 0, updatedAt: 0 };
  for (const { totals } of branches) {
    sum.sessions += totals.sessions;
    sum.archived += totals.archived;
    sum.messages += totals.messages;
    sum.promptTokens += totals.promptTokens;
    sum.spentTokens += totals.spentTokens;
    sum.updatedAt = Math.max(sum.updatedAt, totals.updatedAt);
  }
  return sum;
}

function byCurrency(a: Leaf, b: Leaf): number {
  const [left, right] = [a.currentSince ?? -1, b.currentSince ?? -1];
  if (left !== right) return right - left;
  return a.sessionId < b.sessionId ? 1 : -1;
}

function lastUpdatedFirst(a: ConversationBranch, b: ConversationBranch): number {
  const [left, right] = [a.totals.updatedAt, b.totals.updatedAt];
  if (left !== right) return right - left;
  return (a.key ?? '') < (b.key ?? '') ? -1 : 1;
}

function groupBy<Value, Name>(values: readonly Value[], nameOfValue: (value: Value) => Name): Map<Name, Value[]> {
  const groups = new Map<Name, Value[]>();
  for (const value of values) {
    const name = nameOfValue(value);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [value]);
    else group.push(value);
  }
  return groups;
}
