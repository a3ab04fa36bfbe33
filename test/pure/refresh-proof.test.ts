import type { RefreshStatus } from '../../src/contract/index.js';
import { decideRefresh } from '../../src/activities/polling/refresh-proof.js';
import { isAheadOfService } from '../../src/activities/polling/refresh-proof.js';

const ID = 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6' as NonNullable<RefreshStatus['requestId']>;
const OTHER = 'aaaaaaaa-7dec-11d0-a765-00a0c91e6bf6' as NonNullable<RefreshStatus['requestId']>;
const opened = Date.parse('2026-11-20T12:00:00.700Z');
const intent = {
  requestId: ID as string | null,
  runningSeen: false,
  serviceOpenedAtMs: null as number | null,
  openedAtMs: opened,
};
const success: RefreshStatus = { state: 'done', recognised: true, rawStatus: 'SUCESSO' };

describe('a refresh status', () => {
  it('that has our request id is ours', () => {
    expect(decideRefresh({ ...success, requestId: ID, timeMs: 0 }, intent)).toEqual({
      finished: true,
      state: 'done',
      proof: 'request id',
    });
  });

  it('that still shows the success of yesterday is not ours', () => {
    expect(decideRefresh({ ...success, timeMs: opened - 86_400_000 }, intent)).toEqual({
      finished: false,
      running: false,
    });
    expect(decideRefresh({ ...success, requestId: OTHER, timeMs: opened - 86_400_000 }, intent)).toMatchObject({
      finished: false,
    });
  });

  it('without a request id and a time proves nothing', () => {
    expect(decideRefresh(success, intent)).toEqual({ finished: false, running: false });
  });

  it('without a request id and a time is ours once our request has ended', () => {
    const ended = { hasEnded: true };
    expect(decideRefresh(success, intent, ended)).toEqual({ finished: true, state: 'done', proof: 'request ended' });
    expect(decideRefresh({ ...success, timeMs: opened - 86_400_000 }, intent, ended)).toMatchObject({
      finished: false,
    });
    expect(decideRefresh({ ...success, requestId: OTHER }, intent, ended)).toMatchObject({ finished: false });
    const later = { ...success, requestId: OTHER };
    expect(decideRefresh(later, intent, { isLater: true })).toMatchObject({ finished: false });
    expect(decideRefresh(later, intent, { ...ended, isLater: true })).toMatchObject({ proof: 'request ended' });
    expect(decideRefresh({ ...later, timeMs: opened - 86_400_000 }, intent, { ...ended, isLater: true })).toMatchObject(
      { finished: false },
    );
    const running: RefreshStatus = { state: 'running', recognised: true };
    expect(decideRefresh(running, intent, ended)).toEqual({ finished: false, running: true });
  });

  it('with a time in the second of the intent or later, by the clock of the service, is ours', () => {
    expect(decideRefresh({ ...success, timeMs: opened - 700 }, intent)).toMatchObject({
      finished: true,
      proof: 'own time',
    });
    expect(decideRefresh({ ...success, timeMs: opened - 701 }, intent)).toMatchObject({ finished: false });
    const behind = { ...intent, serviceOpenedAtMs: opened - 3_600_000 };
    expect(decideRefresh({ ...success, timeMs: opened - 3_599_000 }, behind)).toMatchObject({ finished: true });
    const ahead = { ...intent, serviceOpenedAtMs: opened + 3_600_000 };
    expect(decideRefresh({ ...success, timeMs: opened + 60_000 }, ahead)).toMatchObject({ finished: false });
  });

  it('of a call without an answer is compared by the clock of the service that the record is dated by', () => {
    const behind = { skewMs: -600_000 };
    expect(decideRefresh({ ...success, timeMs: opened - 590_000 }, intent, behind)).toMatchObject({
      proof: 'own time',
    });
    expect(decideRefresh({ ...success, timeMs: opened - 601_000 }, intent, behind)).toMatchObject({ finished: false });
    const ahead = { skewMs: 600_000 };
    expect(decideRefresh({ ...success, timeMs: opened + 601_000 }, intent, ahead)).toMatchObject({ proof: 'own time' });
    expect(decideRefresh({ ...success, timeMs: opened + 300_000 }, intent, ahead)).toMatchObject({ finished: false });
    // The date of the call's own answer counts, if it has one.
    const dated = { ...intent, serviceOpenedAtMs: opened };
    expect(decideRefresh({ ...success, timeMs: opened - 590_000 }, dated, behind)).toMatchObject({ finished: false });
    // A slow answer, or the fraction that `Date` drops, looks like a small difference.
    for (const skewMs of [-900, 20_000, null]) {
      expect(decideRefresh({ ...success, timeMs: opened }, intent, { skewMs })).toMatchObject({ finished: true });
      expect(decideRefresh({ ...success, timeMs: opened - 1_701 }, intent, { skewMs })).toMatchObject({
        finished: false,
      });
    }
  });

  it('with a time ahead of the clock of the service proves nothing by that time until our request has ended', () => {
    const wall: RefreshStatus = { ...success, timeMs: opened + 2 * 3_600_000 };
    expect(decideRefresh(wall, intent, { isAhead: true })).toEqual({ finished: false, running: false });
    expect(decideRefresh(wall, intent, { isAhead: true, hasEnded: true })).toMatchObject({ proof: 'own time' });
    expect(decideRefresh(wall, { ...intent, runningSeen: true }, { isAhead: true })).toMatchObject({
      proof: 'running seen',
    });
  });

  it('is ahead of the clock of the service as dated by the answer, else by the call', () => {
    const read = { intent, nowMs: opened + 10_000, skewMs: 0 };
    expect(isAheadOfService(opened + 70_000, read)).toBe(false);
    expect(isAheadOfService(opened + 70_001, read)).toBe(true);
    expect(isAheadOfService(opened + 3_600_000, { ...read, skewMs: 3_600_000 })).toBe(false);
    const undated = { ...read, skewMs: null };
    expect(isAheadOfService(opened + 86_400_000, undated)).toBe(false);
    const behind = { ...undated, intent: { ...intent, serviceOpenedAtMs: opened - 3_600_000 } };
    expect(isAheadOfService(opened, behind)).toBe(true);
  });

  it('is ours if a running status was seen since the intent', () => {
    expect(decideRefresh(success, { ...intent, runningSeen: true })).toMatchObject({
      finished: true,
      proof: 'running seen',
    });
  });

  it('is reported as running only if its word is recognised', () => {
    expect(decideRefresh({ state: 'running', recognised: true }, intent)).toEqual({ finished: false, running: true });
    expect(decideRefresh({ state: 'running', recognised: false }, { ...intent, runningSeen: true })).toEqual({
      finished: false,
      running: false,
    });
  });

  it('that failed or is empty needs the same proof', () => {
    expect(decideRefresh({ ...success, state: 'failed', timeMs: opened - 86_400_000 }, intent)).toMatchObject({
      finished: false,
    });
    expect(decideRefresh({ ...success, state: 'empty', requestId: ID }, intent)).toMatchObject({
      finished: true,
      state: 'empty',
    });
  });
});
