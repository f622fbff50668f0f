/** Whether the model may, must or must not call a tool, or which one it must call. */
export type ToolChoice = 'auto' | 'required' | 'none' | { readonly tool: string };
