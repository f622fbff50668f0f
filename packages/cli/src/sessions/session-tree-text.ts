import type { Tokens } from '@varve/core';
import type { BranchTotals, ConversationBranch, GenerationLeaf, KindBranch, SessionTree } from '@varve/sessions';
import type { createColors } from 'picocolors';
import { shortId } from '../store/short-id.ts';
import { cutLine } from '../terminal/cut-line.ts';
import { counted, longNumber, shortNumber } from '../terminal/format-number.ts';
import { momentText } from '../terminal/moment-text.ts';
import { plainTable } from '../terminal/plain-table.ts';
import { printableText } from '../terminal/printable-text.ts';

/** How a tree is drawn. */
export interface TreeTextOptions {
  readonly root: string;
  /** Whether earlier generations have lines of their own. */
  readonly all: boolean;
  /** Most conversations that are drawn of one branch. */
  readonly most: number;
  readonly colours: ReturnType<typeof createColors>;
  /** Boxes and blocks on a terminal, plain characters elsewhere. */
  readonly isTerminal: boolean;
  readonly columns: number;
}

/** One line before it is set. */
interface Line {
  readonly front: string;
  readonly name: string;
  readonly weight: 'agent' | 'kind' | 'conversation' | 'faint';
  readonly tokens: Tokens | null;
  readonly messages: number | null;
  readonly updatedAt: number | null;
  readonly note: string;
}

interface Joints {
  readonly branch: string;
  readonly last: string;
  readonly pass: string;
  readonly gap: string;
}

const boxes: Joints = { branch: '├─ ', last: '└─ ', pass: '│  ', gap: '   ' };
const plain: Joints = { branch: '|- ', last: '`- ', pass: '|  ', gap: '   ' };

const barWidth = 10;
/** Tokens, messages, what stands behind them, and the spaces between. */
const otherWidth = 33;

/** What a branch of a kind is called. */
const kindNames: Readonly<Record<KindBranch['kind'], string>> = {
  global: 'everybody',
  main: 'main',
  person: 'people',
  direct: 'direct',
  group: 'groups',
  channel: 'channels',
  cron: 'jobs',
  hook: 'hooks',
  subagent: 'sub-agents',
  other: 'other',
};

/** Draws the sessions of a store: a line a branch, with a bar for the size of its last prompts. */
export function sessionTreeText(tree: SessionTree, options: TreeTextOptions): string {
  const { colours, root } = options;
  if (tree.totals.sessions === 0) return `No session in ${printableText(root)} is what was asked for.`;
  const lines = tree.agents.flatMap((agent) => [
    branchLine({ front: '', name: agent.agentId, weight: 'agent', totals: agent.totals }),
    ...agent.kinds.flatMap((kind, index) => kindLines(kind, options, index === agent.kinds.length - 1)),
  ]);
  const { sessions, archived, messages, promptTokens } = tree.totals;
  const sum = [
    `${counted(sessions, 'session')}${archived === 0 ? '' : `, ${longNumber(archived)} of them archived`}`,
    `${counted(messages, 'message')}, prompts of ${shortNumber(promptTokens)} tokens`,
  ].join(', ');
  return `${tableOf(lines, options)}\n\n${colours.dim(`${sum}, in ${printableText(root)}`)}`;
}

function kindLines(kind: KindBranch, options: TreeTextOptions, isLast: boolean): readonly Line[] {
  const joints = options.isTerminal ? boxes : plain;
  const front = isLast ? joints.last : joints.branch;
  const name = kindNames[kind.kind];
  const inner = isLast ? joints.gap : joints.pass;
  return [
    branchLine({ front, name, weight: 'kind', totals: kind.totals }),
    ...conversationLines(kind.conversations, options, inner),
  ];
}

function conversationLines(
  conversations: readonly ConversationBranch[],
  options: TreeTextOptions,
  front: string,
): readonly Line[] {
  const joints = options.isTerminal ? boxes : plain;
  const drawn = conversations.slice(0, options.most);
  const others = conversations.slice(options.most);
  const lines = drawn.flatMap((conversation, index) => {
    const isLast = index === drawn.length - 1 && others.length === 0;
    const inner = `${front}${isLast ? joints.gap : joints.pass}`;
    const line = conversationLine(conversation, `${front}${isLast ? joints.last : joints.branch}`);
    const leaves = options.all ? conversation.generations.filter(({ isCurrent }) => !isCurrent) : [];
    const hasChildren = conversation.children.length > 0;
    return [
      line,
      ...leaves.map((leaf, at) =>
        generationLine(leaf, `${inner}${at === leaves.length - 1 && !hasChildren ? joints.last : joints.branch}`),
      ),
      ...conversationLines(conversation.children, options, inner),
    ];
  });
  if (others.length === 0) return lines;
  const tokens = others.reduce((sum, { totals }) => sum + totals.promptTokens, 0);
  const messages = others.reduce((sum, { totals }) => sum + totals.messages, 0);
  const name = `… and ${longNumber(others.length)} more`;
  const rest: Line = { ...{ front: `${front}${joints.last}`, name, tokens, messages }, ...nothingMore };
  return [...lines, rest];
}

const nothingMore = { weight: 'faint', updatedAt: null, note: '' } as const;

function branchLine(branch: {
  readonly front: string;
  readonly name: string;
  readonly weight: Line['weight'];
  readonly totals: BranchTotals;
}): Line {
  const { front, name, weight, totals } = branch;
  const { promptTokens: tokens, messages, updatedAt, sessions } = totals;
  return { front, name, weight, tokens, messages, updatedAt, note: counted(sessions, 'session') };
}

/** A conversation: the figures of its current generation alone, since each has a line of its own below it. */
function conversationLine({ key, name: own, generations, totals }: ConversationBranch, front: string): Line {
  const [leaf] = generations;
  if (leaf === undefined) {
    return { front, name: own, weight: 'faint', tokens: null, messages: null, updatedAt: totals.updatedAt, note: '' };
  }
  const { sessionId, state, promptTokens: tokens, messages, updatedAt, displayName, label } = leaf;
  const title = displayName ?? label;
  const called = key === null ? shortId(own) : own;
  const name = title === null ? called : `${title} (${called})`;
  const earlier = generations.length - 1;
  const notes = [
    ...(key === null ? [] : [shortId(sessionId)]),
    ...(state === 'archived' ? ['archived'] : []),
    ...(earlier === 0 ? [] : [`+${earlier} earlier`]),
  ];
  const weight = state === 'archived' ? 'faint' : 'conversation';
  return { front, name, weight, tokens, messages, updatedAt, note: notes.join(' ') };
}

function generationLine({ sessionId, state, promptTokens, messages, updatedAt }: GenerationLeaf, front: string): Line {
  const note = state === 'archived' ? 'archived' : 'not current';
  return { front, name: shortId(sessionId), weight: 'faint', tokens: promptTokens, messages, updatedAt, note };
}

function tableOf(lines: readonly Line[], options: TreeTextOptions): string {
  const { colours, columns, isTerminal } = options;
  const most = lines.reduce((tokens, line) => Math.max(tokens, hasBar(line) ? (line.tokens ?? 0) : 0), 1);
  // A narrow terminal has room for neither bars nor times.
  const isWide = columns >= 72;
  const timeWidth = columns >= 100 ? 16 : isWide ? 10 : 0;
  const longest = Math.max(24, columns - (isWide ? barWidth + timeWidth + 2 : 0) - otherWidth);
  const head = [
    '',
    ...(isWide ? [''] : []),
    'prompt',
    'msgs',
    ...(isWide ? [timeWidth > 10 ? 'updated (UTC)' : 'updated'] : []),
    '',
  ];
  const rows = lines.map((line) => {
    const name = cutLine(line.name, Math.max(8, longest - line.front.length));
    const share = hasBar(line) ? (line.tokens ?? 0) / most : 0;
    return [
      `${colours.dim(line.front)}${paintOf(line, colours)(name)}`,
      ...(isWide ? [colours.green(barOf(share, isTerminal))] : []),
      line.tokens === null ? '' : shortNumber(line.tokens),
      line.messages === null ? '' : longNumber(line.messages),
      ...(isWide ? [colours.dim(timeText(line).slice(0, timeWidth))] : []),
      colours.dim(printableText(line.note)),
    ];
  });
  const left = isWide ? [0, 1, 4, 5] : [0, 3];
  return plainTable({ head: head.map((text) => colours.dim(text)), rows, left, columns });
}

function timeText({ updatedAt }: Line): string {
  return updatedAt === null || updatedAt === 0 ? '' : momentText(updatedAt);
}

/** Sums have none: beside them, those of single conversations could not be told apart. */
function hasBar({ weight, note }: Line): boolean {
  return weight === 'conversation' || (weight === 'faint' && note !== '');
}

function paintOf({ weight }: Line, colours: TreeTextOptions['colours']): (text: string) => string {
  if (weight === 'agent') return (text) => colours.bold(colours.cyan(text));
  if (weight === 'kind') return colours.bold;
  return weight === 'faint' ? colours.dim : (text) => text;
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar for a share. What is there at all is seen, however small it is. */
function barOf(share: number, isTerminal: boolean): string {
  const parts = share <= 0 ? 0 : Math.max(1, Math.round(Math.min(1, share) * barWidth * 8));
  if (!isTerminal) return '#'.repeat(Math.ceil(parts / 8)).padEnd(barWidth);
  return `${'█'.repeat(Math.floor(parts / 8))}${eighths[parts % 8]}`.padEnd(barWidth);
}
