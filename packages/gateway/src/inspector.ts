export { messageText } from './inspector/message-text.ts';
export { reportPage } from './inspector/report-page.ts';
export type {
  PictureLayer,
  PictureMark,
  PictureRequest,
  ReportCompaction,
  ReportConversation,
  ReportEdit,
  ReportMessage,
  SessionReport,
} from './inspector/session-report.ts';
