/** The examples in TypeScript, and what each one prints on success. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';

export const EXAMPLES = [
  { name: 'backend', says: '5 clicks, 1 charge' },
  { name: 'worker', says: '4 refreshes asked for, 3 paid' },
  { name: 'events', says: '40 webhooks, 40 rows' },
  { name: 'portfolio', says: '10 cases, 10 refreshes paid in two nights' },
] as const;

/** Copies an example without installed packages and compiled files. */
export function copyExample(name: string, target: string): void {
  const isSource = (path: string): boolean => !/\/(dist|node_modules|package-lock\.json)$/.test(path);
  cpSync(join(__dirname, '..', '..', 'examples', name), target, { recursive: true, filter: isSource });
}
