// The page of screen time computes what is left as the agent does: Apps/ScreenTime/Tests/Core/PageVectorTests.swift
// holds the same cases to ScreenTimeCore.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { dayOf, place, timeOn, verdict } from '../ledger.js';
import { offsetIn, zonesWith } from '../zone.js';
import { deviceLine, digitsOf, leftLine, restLine, spokenTime, stateLine } from '../words.js';

const cases = JSON.parse(readFileSync(new URL('../../Tests/Vectors/screen-time.json', import.meta.url)));

function answered(asked, { placing = place } = {}) {
  const uses = asked.uses.map((use) => {
    const { moment } = placing(use.start, use.arrived);
    return { ...use, start: moment, day: dayOf(moment, use.offset) };
  });
  const known = {
    offset: asked.offset, uses, grants: asked.grants, rests: asked.rests,
    budgets: asked.budgets.map(({ category = null, minutes }) => ({ category, minutes })),
    categories: new Map(Object.entries(asked.categories)),
  };
  const { left, reason } = verdict(asked.program, asked.wall, known);
  return { left: left ?? undefined, reason: reason ?? undefined, used: timeOn(uses, dayOf(asked.wall, asked.offset)) };
}
const expected = ({ left, reason, used }) => ({ left, reason, used });

test('the page says of 400 days what the agent says', () => {
  assert.equal(cases.length, 400);
  for (const each of cases) assert.deepEqual(answered(each), expected(each), JSON.stringify(each));
});

test('a page that believes every clock would say something else (negative control)', () => {
  const placing = (moment) => ({ moment });
  assert(cases.some((each) => JSON.stringify(answered(each, { placing })) !== JSON.stringify(expected(each))));
});

test('times are said as people say them', () => {
  assert.equal(digitsOf(85 * 60_000 + 59_000), '1:25');
  assert.deepEqual([0, 30_000, 60_000, 3_600_000, 5_100_000].map(spokenTime),
    ['nothing', 'less than a minute', '1 min', '1 h', '1 h 25 min']);
  assert.equal(leftLine('Games', { left: 1_500_000, minutes: 60 }), 'Games: 25 min left of 1 h');
  assert.equal(leftLine('Games', { left: 0, minutes: 60 }), 'Games: nothing left of 1 h');
  assert.equal(restLine({ from: 1230, to: 420 }, 0), 'Rest 20:30 to 07:00, now');
  assert.equal(restLine({ from: 1230, to: 420 }, 1_500_000), 'Rest 20:30 to 07:00, begins in 25 min');
});

test('days are those of the family’s zone, and another one of a device is said', () => {
  assert.deepEqual([1_784_000_000_000, 1_767_225_600_000].map((at) => offsetIn('Europe/Berlin', at)), [7200, 3600]);
  assert.deepEqual(['Pacific/Kiritimati', 'Asia/Kathmandu', 'UTC'].map((zone) => offsetIn(zone, 1_784_000_000_123)),
    [50_400, 20_700, 0]);
  assert.deepEqual(['', undefined, 'Nowhere/Atlantis'].map((zone) => offsetIn(zone, 0)),
    [undefined, undefined, undefined]);
  assert.ok(zonesWith('Europe/Berlin').includes('Europe/Berlin') && zonesWith('Own/Zone').includes('Own/Zone'));
  const said = (ownOffset) =>
    deviceLine({ name: 'Laptop', state: 'new', ownOffset }, 0).replaceAll(/[\u2068\u2069]/g, '');
  assert.equal(said(null), 'Laptop: not in touch yet');
  assert.equal(said(50_400), 'Laptop: not in touch yet; its own zone is UTC+14, not the family’s');
  assert.equal(said(-12_600), 'Laptop: not in touch yet; its own zone is UTC−3:30, not the family’s');
});

test('a device that says nothing is quiet, and never said to be idle', () => {
  const now = new Date(2026, 10, 25, 16, 0).getTime();
  const since = new Date(2026, 10, 25, 14, 5).getTime();
  const said = (state, more) =>
    deviceLine({ name: 'Laptop', state, since, ...more }, now).replaceAll(/[\u2068\u2069]/g, '');
  assert.equal(said('quiet'), 'Laptop: quiet since 14:05');
  assert.equal(said('now', { program: 'xterm', sees: 'programs' }), 'Laptop: xterm, since 14:05');
  assert.equal(said('now', { program: '', sees: 'presence' }), 'Laptop: somebody is there, since 14:05');
  assert.equal(said('ended'), 'Laptop: its agent was ended at 14:05');
  assert.equal(stateLine({ phase: 'offline', records: 0, isAt: since }),
    'No connection since 14:05: what you see is from then.');
  assert.equal(stateLine({ phase: 'offline', records: 1 }),
    'No connection. 1 change is kept here until the server answers.');
});
