import type { PictureRequest, ReportCompaction } from '../../src/inspector/session-report.ts';

/** A message, and what became of it in one request. */
export interface ExplainedMessage {
  readonly seq: number;
  readonly role: string;
  /** Its beginning, in one line. */
  readonly preview: string;
  /** What it costs whole. */
  readonly tokens: number;
  readonly kind: string;
  readonly rule: string;
  /** The plugin, or `core`. */
  readonly by: string;
}

/** A text of a conversation, whole or its beginning. */
interface ReadText {
  readonly text: string;
  /** How long it is when this is not all of it. */
  readonly characters: number | null;
}

/** A message before and after. */
export interface ReadMessage {
  readonly before: ReadText;
  /** What stood in its place; `null` where it stood there itself, or nothing did. */
  readonly after: { readonly text: string; readonly title: string } | null;
}

/** Where a page reads a conversation: out of itself, or from a gateway. */
export interface SessionSource {
  readonly title: string;
  readonly requests: readonly PictureRequest[];
  readonly compactions: readonly ReportCompaction[];
  /** What became of each message in a request, in the order of the journal. */
  explain(number: number): Promise<readonly ExplainedMessage[]>;
  /** Reads a message as it stood in a request. */
  read(message: ExplainedMessage, number: number): Promise<ReadMessage>;
}
