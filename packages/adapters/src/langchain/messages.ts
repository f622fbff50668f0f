/** A block of content as it comes in; what it has beside the type depends on it. */
export interface LangChainBlock {
  readonly type: string;
}

/** A message as it comes in: a `BaseMessage`, or the plain fields of one. */
export interface LangChainMessage {
  readonly content: unknown;
}

/** A call of a tool in an answer. */
export interface LangChainToolCall {
  id?: string;
  name: string;
  args: Record<string, unknown>;
  type?: 'tool_call';
}

/** A message as it goes out: the fields of one, which every chat model takes as it takes a `BaseMessage`. */
export type LangChainFields = {
  type: 'system' | 'human' | 'ai' | 'tool';
  content: string | LangChainOutBlock[];
  id?: string;
  name?: string;
  additional_kwargs?: Record<string, unknown>;
  response_metadata?: Record<string, unknown>;
  tool_calls?: LangChainToolCall[];
  invalid_tool_calls?: Record<string, unknown>[];
  tool_call_id?: string;
  status?: 'success' | 'error';
};

/** A block of content as it goes out. */
export type LangChainOutBlock = { type: string; [field: string]: unknown };
