import { cutText, defineTool, type PluginTool, type ToolContext, VarveError } from '@varve/core';
import { z } from 'zod';
import { appendNotes, type NotePlace } from './append-notes.ts';
import { cleanLines, cleanText, oneCleanLine } from './clean-text.ts';
import { shownLines } from './lines-within.ts';
import type { LongTermMemory } from './long-term-memory.ts';
import { ownScope } from './may-read.ts';
import { spare } from './memory-index.ts';
import { originOf } from './origin.ts';
import type { Passage } from './passage.ts';
import type { PastHits, PastPassage } from './past/past-sessions.ts';
import { nameOfPlace, placeOfName, type SessionPlace } from './past/session-name.ts';

const searchInput = z.strictObject({
  query: z.string().min(1).max(1_000).describe('What to look for: names, words, or a question.'),
  limit: z.int().min(1).max(20).default(8).describe('Most notes to give.'),
});

const getInput = z.strictObject({
  path: z
    .string()
    .min(1)
    .max(300)
    .describe('A path that memory_search has given, such as memory/2026-03-02.md, or session 4f7a #12.'),
  from: z.int().min(1).default(1).describe('First line.'),
  fromChar: z.int().min(1).default(1).describe('First character of that line, for one that is too long to give whole.'),
  lines: z.int().min(1).max(500).default(200).describe('Most lines to give.'),
});

const saveInput = z.strictObject({
  text: z.string().trim().min(1).max(8_000).describe('The note: short, whole, and clear without this conversation.'),
  scope: z
    .enum(['agent', 'private'])
    .optional()
    .describe('agent: for all sessions of the owner. private: for this conversation alone.'),
});

/** Inputs of the tools, by their names. */
export interface MemoryToolInputs {
  readonly memory_search: { readonly query: string; readonly limit: number };
  readonly memory_get: {
    readonly path: string;
    readonly from: number;
    readonly fromChar: number;
    readonly lines: number;
  };
  readonly memory_save: { readonly text: string; readonly scope?: 'agent' | 'private' | undefined };
}

/** The tools that search, read and add notes. */
export function memoryTools(memory: LongTermMemory): {
  readonly [Name in keyof MemoryToolInputs]: PluginTool<MemoryToolInputs[Name]>;
} {
  return {
    memory_search: defineTool({
      description:
        `Searches ${memory.past === null ? 'the notes of earlier conversations' : 'notes and earlier conversations'}. Use ` +
        'it before you say that you do not know something about the user, a decision, or work that was done before.',
      input: searchInput,
      recovers: true,
      execute: (input, context) => search(memory, input, context),
    }),
    memory_get: defineTool({
      description:
        memory.past === null
          ? 'Reads lines of a file of notes that memory_search has found.'
          : 'Reads lines of a file of notes, or of an earlier conversation, that memory_search has found.',
      input: getInput,
      recovers: true,
      execute: (input, context) => get(memory, input, context),
    }),
    memory_save: defineTool({
      description:
        'Saves a note that later conversations can find: a decision, a preference, a fact that will be needed again. ' +
        'Notes cannot be changed; save a new one that says what is different.',
      input: saveInput,
      execute: (input, context) => save(memory, input, context),
    }),
  };
}

async function search(
  memory: LongTermMemory,
  { query, limit }: MemoryToolInputs['memory_search'],
  context: ToolContext,
): Promise<string> {
  const { workspace, index, options } = memory;
  const files = await workspace.memory();
  const past = await searchPast(memory, { query, limit: options.embedder === null ? limit : limit * spare }, context);
  memory.warn([...files.problems, ...past.problems], context.warn);
  const mayShow = memory.filterFor(memory.conversation(context.session));
  const { signal } = context;
  const { found, failure } = await index.search(files.found, { query, limit, mayShow, signal, others: past.found });
  if (failure !== null) context.warn(`Notes were searched by their words alone: ${oneCleanLine(failure)}`);
  const remarks = [
    ...(failure === null ? [] : ['(Only words were compared: searching by meaning failed.)']),
    ...(past.isCut ? ['(Not all earlier conversations were searched. Search again to go on.)'] : []),
  ];
  const hits = found.map((hit) => textOfHit(hit, options));
  return [...(hits.length === 0 ? ['No note has anything of that.'] : hits), ...remarks].join('\n\n');
}

async function searchPast(
  { past }: LongTermMemory,
  { query, limit }: MemoryToolInputs['memory_search'],
  context: ToolContext,
): Promise<PastHits> {
  return past === null ? { found: [], problems: [], isCut: false } : past.search(query, context, limit);
}

/** Longest passage that a search shows, in UTF-16 code units. */
const hitChars = 1_200;

function textOfHit(hit: Passage | PastPassage, zone: Pick<NotePlace, 'timeZone'>): string {
  const shown = cutText(quoted(cleanLines(hit.text)), 0, hitChars);
  if ('sessionId' in hit) return `[${nameOfPlace(hit)}, ${originOf(hit, zone)}]\n${shown}`;
  const { path, from, to, note } = hit;
  const origin = originOf(note, zone);
  return `[${oneCleanLine(path)}:${from === to ? from : `${from}-${to}`}${origin === '' ? '' : `, ${origin}`}]\n${shown}`;
}

/** Lines behind a mark each, so that none of them can be taken for a line of the frame. */
function quoted(lines: readonly string[]): string {
  return lines.map((line) => `| ${line}`.trimEnd()).join('\n');
}

/** What memory_get gives at most, in UTF-16 code units. */
const getChars = 16_000;

async function get(
  memory: LongTermMemory,
  input: MemoryToolInputs['memory_get'],
  context: ToolContext,
): Promise<string> {
  const place = memory.past === null ? null : placeOfName(input.path);
  return place === null ? getNote(memory, input, context) : getPast(memory, { ...input, place }, context);
}

async function getNote(
  memory: LongTermMemory,
  { path, from, fromChar, lines: most }: MemoryToolInputs['memory_get'],
  { session, warn }: ToolContext,
): Promise<string> {
  // Looked up among the files of the memory: no other path leads anywhere.
  const files = await memory.workspace.memory();
  memory.warn(files.problems, warn);
  const mayShow = memory.filterFor(memory.conversation(session));
  const notes = files.found.find((file) => oneCleanLine(file.path) === path)?.notes.filter(mayShow) ?? [];
  const lines = notes.flatMap((note) => note.lines.map((line) => ({ ...line, note })));
  const wanted = lines.filter(({ number }) => number >= from);
  if (wanted.length === 0) return nothingAt({ path, from });
  const texts = wanted.map(({ number, text, note }, index) => {
    const origin = note === wanted[index - 1]?.note ? '' : originOf(note, memory.options);
    return { number, text, prefix: `${origin === '' ? '' : `[${origin}]\n`}${number}| ` };
  });
  const firstChar = from === wanted[0]?.number ? fromChar : 1;
  return shownLines(texts, { most, limit: getChars, fromChar: firstChar });
}

function nothingAt({ path, from }: Pick<MemoryToolInputs['memory_get'], 'path' | 'from'>): string {
  return `There is no note at ${oneCleanLine(path)}, line ${from} or later.`;
}

/** Messages on each side of one that was found, and how much of each is shown, in UTF-16 code units. */
const beside = 2;
const besideChars = 600;

/** A message of another session, from a line on, and the beginnings of those beside it. */
async function getPast(
  { past, options }: LongTermMemory,
  { path, place, from, fromChar, lines: most }: MemoryToolInputs['memory_get'] & { readonly place: SessionPlace },
  context: ToolContext,
): Promise<string> {
  const messages = (await past?.read(place, context, beside)) ?? [];
  const middle = messages.find(({ seq }) => seq === place.seq);
  const wanted = middle?.lines.filter(({ number }) => number >= from) ?? [];
  if (middle === undefined || wanted.length === 0) return nothingAt({ path, from });
  const limit = getChars - (messages.length - 1) * (besideChars + 100);
  const lines = wanted.map((line) => ({ ...line, prefix: `${line.number}| ` }));
  const whole = shownLines(lines, { most, limit, fromChar: from === wanted[0]?.number ? fromChar : 1 });
  const shown = messages.map((message) => {
    const text = message === middle ? whole : beginningOf(quoted(message.lines.map((line) => line.text)));
    return `[${nameOfPlace(message)}, ${originOf(message, options)}]\n${text}`;
  });
  return shown.join('\n\n');
}

function beginningOf(text: string): string {
  return text.length <= besideChars ? text : `${cutText(text, 0, besideChars).trimEnd()} …`;
}

async function save(
  memory: LongTermMemory,
  { text, scope: asked }: MemoryToolInputs['memory_save'],
  { session, now, warn }: ToolContext,
): Promise<string> {
  const { incognito } = session.settings;
  if (incognito === true) return 'Nothing was saved: this session is incognito.';
  if (cleanText(text) === '') return 'Nothing was saved: the note is empty.';
  const { dir, timeZone } = memory.options;
  const conversation = memory.conversation(session);
  const isForAll = asked !== 'private' && conversation.isOwner;
  const scope = isForAll ? ({ kind: 'agent' } as const) : ownScope(conversation);
  const path = await appendNotes([{ scope, from: 'model', at: now(), text }], { dir, timeZone, now }).catch((error) => {
    if (VarveError.is(error)) warn(error.message);
    throw error;
  });
  const whose = isForAll ? 'all sessions of the owner' : 'this conversation';
  const why = asked === 'agent' && !isForAll ? ' Only a direct chat with the owner may save for all sessions.' : '';
  return `Saved to ${path} for ${whose}.${why}`;
}
