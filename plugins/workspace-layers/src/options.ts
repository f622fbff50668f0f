import { z } from 'zod';
import { isTimeZone } from './day-in-zone.ts';
import { type Embedder, embedderSchema } from './embedder.ts';
import { type PastSessionsOptions, pastOptions, type SettledPastOptions } from './past/past-options.ts';

/** Where memory and workspace files lie, and who sees them. Sizes in characters, as `length` counts them. */
export interface WorkspaceLayersOptions {
  /** The workspace: a folder with AGENTS.md and its like, MEMORY.md, and `memory/`. Need not be there yet. */
  readonly dir: string;
  /** Files of the layer `memory`, before those in `memory/`. @default ['MEMORY.md'] */
  readonly memory?: readonly string[] | undefined;
  /** Files of the layer `workspace`, the most important first. @default AGENTS.md, SOUL.md, IDENTITY.md, USER.md, TOOLS.md, HEARTBEAT.md */
  readonly files?: readonly string[] | undefined;
  /** Those that sub-agents see; they see no memory. @default ['AGENTS.md', 'TOOLS.md'] */
  readonly subagents?: readonly string[] | undefined;
  /** Whether the layer `workspace` names what else lies in the folder. A new file changes the front of prompts. @default false */
  readonly listing?: boolean | undefined;
  /** Longer files keep head and tail. @default 20 000 */
  readonly fileChars?: number | undefined;
  /** Most that each of the two layers takes. @default 60 000 */
  readonly totalChars?: number | undefined;
  /** Whether groups see notes that are for all sessions of the owner. @default false */
  readonly shareWithGroups?: boolean | undefined;
  /** Identities of the owner; `null`: whoever has a direct chat is the owner. @default null */
  readonly owners?: readonly string[] | null | undefined;
  /** Zone in which a day of notes begins and ends; `null`: the machine's own. @default null */
  readonly timeZone?: string | null | undefined;
  /** Finds notes by meaning, too; `null`: by words alone. @default null */
  readonly embedder?: Embedder | null | undefined;
  /** Finds also what was said in other sessions that a session may see; `null`: notes alone. @default null */
  readonly pastSessions?: PastSessionsOptions | null | undefined;
}

const chars = z.int().min(1_000);

/** Names of plain files at the top of the workspace. */
const fileNames = z.array(z.string().regex(/^[^/\\\0]+$/, 'Expected the name of a file at the top of the workspace'));

/** The options with their defaults. */
export type SettledOptions = {
  readonly [Name in Exclude<keyof WorkspaceLayersOptions, 'pastSessions'>]-?: Exclude<
    WorkspaceLayersOptions[Name],
    undefined
  >;
} & { readonly pastSessions: SettledPastOptions | null };

/** Schema of the options. */
export const workspaceOptions: z.ZodType<SettledOptions, WorkspaceLayersOptions> = z.strictObject({
  dir: z.string().min(1).describe('The workspace: a folder with AGENTS.md and its like, MEMORY.md, and memory/.'),
  memory: fileNames.default(['MEMORY.md']).describe('Files of the layer memory, before those in memory/.'),
  files: fileNames
    .default(['AGENTS.md', 'SOUL.md', 'IDENTITY.md', 'USER.md', 'TOOLS.md', 'HEARTBEAT.md'])
    .describe('Files of the layer workspace, the most important first.'),
  subagents: fileNames.default(['AGENTS.md', 'TOOLS.md']).describe('Those that sub-agents see; they see no memory.'),
  listing: z.boolean().default(false).describe('Whether the layer workspace names what else lies in the folder.'),
  fileChars: chars.default(20_000).describe('Longer files keep head and tail.'),
  totalChars: chars.default(60_000).describe('Most that each of the two layers takes.'),
  shareWithGroups: z
    .boolean()
    .default(false)
    .describe('Whether groups see notes that are for all sessions of the owner.'),
  owners: z
    .array(z.string().min(1))
    .nullable()
    .default(null)
    .describe('Identities of the owner; without, whoever has a direct chat is the owner.'),
  timeZone: z
    .string()
    .refine(isTimeZone, 'Must be a time zone such as "Europe/Berlin"')
    .nullable()
    .default(null)
    .describe("Zone in which a day of notes begins and ends; without, the machine's own."),
  embedder: embedderSchema.nullable().default(null).describe('Finds notes by meaning, too; without, by words alone.'),
  pastSessions: pastOptions
    .nullable()
    .default(null)
    .describe('Finds also what was said in other sessions that a session may see; without, notes alone.'),
});
