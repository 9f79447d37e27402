import assert from 'node:assert/strict';
import test from 'node:test';
import {
  clamped, copies, depthClass, dotAt, fillingScale, moved, pixelOf, project, radiusOf, unpacked,
  unproject, worldHeight, zoomed,
} from '../geometry.js';
import { outlines } from '../land.js';
import { matcher } from '../match.js';
import { agoOf, coordinatesOf, distanceOf, matchLine, newLine, placeOf, stateOf }
  from '../words.js';

// Numbers that are the same on every run.
function* numbers(seed) {
  for (let state = seed; ; yield state / 2 ** 32) state = (state * 1664525 + 1013904223) % 2 ** 32;
}
const near = (one, other, within = 1e-9) => assert.ok(Math.abs(one - other) < within, `${one} ${other}`);

test('places come back from the projection, pole to pole, and east goes round', () => {
  for (let latitude = -90; latitude <= 90; latitude += 7.5) {
    for (let longitude = -180; longitude < 180; longitude += 22.5) {
      const back = unproject(project(longitude, latitude));
      near(back.longitude, longitude);
      near(back.latitude, latitude);
      near(unproject({ ...project(longitude, latitude), x: project(longitude, latitude).x + 3 }).longitude,
        longitude);
    }
  }
  near(project(0, 90).y, 0);
  near(project(0, -90).y, worldHeight);
  // The usual form of Miller's projection.
  near((project(0, 0).y - project(0, 45).y) * 2 * Math.PI, 1.25 * Math.log(Math.tan(Math.PI / 4 + 0.4 * Math.PI / 4)));
});

test('a view stays on the world, and what is under a finger stays there', () => {
  const chance = numbers(7);
  const next = (least, most) => least + chance.next().value * (most - least);
  for (let round = 0; round < 500; round++) {
    const frame = { width: next(200, 2000), height: next(150, 1200) };
    let view = clamped({ x: next(-3, 3), y: next(-1, 2), scale: next(1, 90_000) }, frame);
    for (let step = 0; step < 5; step++) {
      view = moved(view, frame, next(-900, 900), next(-900, 900));
      const half = frame.height / 2 / view.scale;
      assert.ok(view.x >= 0 && view.x < 1 && view.scale >= fillingScale(frame) - 1e-9);
      assert.ok(view.y - half > -1e-9 && view.y + half < worldHeight + 1e-9, 'beyond a pole');
      const [left, top] = [next(0, frame.width), next(0, frame.height)];
      const pointed = (at) => ({ x: at.x + (left - frame.width / 2) / at.scale,
        y: at.y + (top - frame.height / 2) / at.scale });
      const closer = zoomed(view, frame, next(1, 3), left, top);
      const [before, after] = [pointed(view), pointed(closer)];
      near(before.y, after.y, 1e-6);
      near(Math.sin(Math.PI * (before.x - after.x)), 0, 1e-6);
      const copied = copies(view, frame);
      assert.ok(copied.length <= 3 && copied[0] <= view.x - frame.width / 2 / view.scale);
      view = closer;
    }
  }
});

test('a dot at the 180th meridian is shown where it is nearest to the middle', () => {
  const frame = { width: 800, height: 500 };
  for (const middle of [170, -170]) {
    const view = clamped({ ...project(middle, 0), scale: 3000 }, frame);
    for (const longitude of [179.5, -179.5]) {
      const { left } = pixelOf(project(longitude, 0), view, frame);
      assert.ok(left > 0 && left < 800, `${longitude} is at ${left}`);
    }
  }
});

test('the area of a dot doubles with each magnitude, and depths have three classes', () => {
  for (let magnitude = 1; magnitude < 9; magnitude += 0.5) {
    near((radiusOf(magnitude + 1) / radiusOf(magnitude)) ** 2, 2);
  }
  assert.equal(radiusOf(null), radiusOf(1));
  assert.equal(radiusOf(-0.4), radiusOf(1));
  near(radiusOf(4), 10);
  assert.deepEqual([null, -2, 0, 69.9, 70, 299, 300, 650].map(depthClass), [0, 0, 0, 0, 1, 1, 2, 2]);
});

test('a tap means the dot under it, the uppermost of several, or the nearest within reach', () => {
  const frame = { width: 1000, height: 700 };
  const view = clamped({ ...project(0, 0), scale: 1000 }, frame);
  const dot = (longitude, radius) => ({ ...project(longitude, 0), radius });
  const [low, high, away] = [dot(0, 20), dot(3, 5), dot(40, 4)];
  const at = (found) => pixelOf(found, view, frame);
  const all = [low, high, away];
  const hit = (left, reach) => dotAt(all, view, frame, left, 350, reach);
  assert.equal(hit(at(low).left), low);
  assert.equal(hit(at(high).left), high);
  assert.equal(hit(at(away).left + 15), away);
  assert.equal(hit(at(away).left + 40), undefined);
  assert.equal(hit(at(away).left + 300, Infinity), away);
});

test('the outlines are whole: rings on the globe, land where land is', () => {
  const rings = unpacked(outlines);
  assert.ok(rings.length > 250 && rings.flat().length > 8000);
  for (const [longitude, latitude] of rings.flat()) {
    assert.ok(Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90);
  }
  const isLand = (longitude, latitude) => rings.reduce((count, ring) => {
    const crosses = ring.filter(([x, y], index) => {
      const [u, v] = ring[(index + 1) % ring.length];
      return (y > latitude) !== (v > latitude)
        && longitude < x + (latitude - y) / (v - y) * (u - x);
    });
    return count + crosses.length;
  }, 0) % 2 === 1;
  for (const place of [[10, 25], [-100, 40], [134, -25], [-60, -10], [37, 55]]) {
    assert.ok(isLand(...place), `${place} is no land`);
  }
  for (const place of [[-140, 30], [0, 0], [80, -30], [-30, 45]]) {
    assert.ok(!isLand(...place), `${place} is no sea`);
  }
});

const quake = (parts) => ({
  place: '', kind: 'Earthquake', magnitude: 4, depth: 10, at: 0, event: 'urn:x:us:abc1', ...parts,
});

test('a search finds all words, without accents, magnitudes from a number up, and depths', () => {
  const peru = quake({ place: '14 km S of Camaná, Peru', magnitude: 5.8, depth: 35 });
  const okhotsk = quake({ place: 'Sea of Okhotsk', magnitude: null, depth: 600, kind: 'Explosion' });
  const found = (search) => [peru, okhotsk].map(matcher(search));
  assert.deepEqual(found('camana peru'), [true, false]);
  const chile = quake({ place: "Libertador General Bernardo O'Higgins, Chile" });
  for (const search of ["o'higgins", 'O\u2019Higgins', 'o\u02bchiggins']) {
    assert.ok(matcher(search)(chile), search);
  }
  assert.deepEqual(found('PERU, 5+'), [true, false]);
  assert.deepEqual(found('m6+'), [false, false]);
  assert.deepEqual(found('>5.5'), [true, false]);
  assert.deepEqual(found('m>=5.8'), [true, false]);
  assert.deepEqual(found('deep'), [false, true]);
  assert.deepEqual(found('explosion'), [false, true]);
  assert.deepEqual(found('usabc1'), [true, true]);
  assert.deepEqual(found('.*'), [false, false]);
  assert.deepEqual(found('  '), [true, true]);
});

test('words, units and times', () => {
  const now = Date.UTC(2026, 7, 6, 12);
  assert.equal(agoOf(now - 3000, now), 'just now');
  assert.equal(agoOf(now + 60_000, now), 'just now');
  assert.equal(agoOf(now - 12 * 60_000, now), '12 minutes ago');
  assert.equal(agoOf(now - 26 * 3_600_000, now), 'yesterday');
  assert.equal(distanceOf(10, 'km'), '10 km');
  assert.equal(distanceOf(10, 'mi'), '6.2 mi');
  assert.equal(distanceOf(-1.2, 'km'), '\u22121.2 km');
  assert.equal(distanceOf(null, 'km'), 'unknown');
  assert.equal(placeOf(quake({ place: '63 km SE of Hihifo' }), 'mi'), '39 mi SE of Hihifo');
  assert.equal(placeOf(quake({ place: 'Reykjanes Ridge' }), 'mi'), 'Reykjanes Ridge');
  assert.equal(placeOf(quake({}), 'km'), 'Earthquake');
  assert.equal(coordinatesOf({ latitude: -22.4, longitude: -69.3 }), '22.400° S, 69.300° W');
  assert.equal(newLine([quake({ place: 'A', magnitude: 2 }), quake({ place: 'B', magnitude: 6.1 })], 'km'),
    'New: magnitude 6.1, B. And 1 more.');
  const state = (parts) => stateOf({ phase: 'online', problem: '', checkedAt: now, now, ...parts });
  assert.equal(state({}).sentence, 'Live.');
  assert.match(state({}).time, /^Last updated at /);
  assert.equal(state({ problem: 'It broke.' }).sentence, 'It broke.');
  assert.match(state({ phase: 'offline', problem: 'It broke.' }).sentence, /^No connection/);
  assert.equal(state({ checkedAt: null }).sentence, 'Waiting for the feed…');
  const old = state({ isOld: true, problem: 'It broke.' }).sentence;
  assert.match(old, /^This page is too old to show all that is here\. Load it again/);
});

test('a search says how many it found, and how many the magnitudes hide', () => {
  assert.equal(matchLine(0, 0, 0, null), 'Nothing matches.');
  assert.equal(matchLine(1, 1, 0, null), '1 match.');
  assert.equal(matchLine(120, 50, 0, 2.5), 'The newest 50 of 120 matches.');
  assert.equal(matchLine(3, 3, 2, 4.5), '3 matches; “4.5+” hides 2 more.');
  assert.equal(matchLine(0, 0, 1, 2.5), 'Nothing matches; “2.5+” hides 1.');
});
