import { createApp } from 'vue';
import type { SessionReport } from '../src/inspector/session-report.ts';
import LiveApp from './live/LiveApp.vue';
import ReportApp from './ReportApp.vue';
import './inspector.css';

const held = document.getElementById('report')?.textContent ?? null;

// A page with a report in it shows that; any other one asks the gateway that it came from.
const app = held === null ? createApp(LiveApp) : createApp(ReportApp, { report: JSON.parse(held) as SessionReport });
app.mount('#inspector');
