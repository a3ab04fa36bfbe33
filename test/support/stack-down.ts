/** Global tear-down beside `stack-up.ts`: stops what that one started, and nothing else. */
export default async function stackDown(): Promise<void> {
  await globalThis.tramitaTestStack?.stop();
  globalThis.tramitaTestStack = undefined;
}
