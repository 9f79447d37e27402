// What the album's page says of one and of many, and of names that run from right to left.

import assert from 'node:assert/strict';
import test from 'node:test';
import { hostWords, leavingWords, missingWords, signOutWords } from '../later-words.js';
import { noticeOf, stateLine } from '../words.js';

const said = (code, names, sentence) => noticeOf({ code, names, sentence });

test('a notice names one file or several, and isolates a name that runs from right to left', () => {
  assert.equal(said('lost', ['صورة.jpg']), '“\u2068صورة.jpg\u2069” is no longer on this phone, so it was not added.');
  assert.equal(said('lost', ['a', 'b', 'c', 'd', 'e']),
    '“\u2068a\u2069”, “\u2068b\u2069”, “\u2068c\u2069” and 2 more are no longer on this phone, '
    + 'so they were not added.');
  assert.equal(said('large', ['']), 'A photo is larger than 100 MB, so it was not added.');
  assert.equal(said('refused', ['a'], 'It is no picture.'), '“\u2068a\u2069” was not added. It is no picture.');
  assert.equal(said('refused', ['a']), 'The album did not accept “\u2068a\u2069”.');
  assert.equal(said('full', ['a']), 'The server’s disk is full. Your photos wait on this phone.');
});

test('what waits is counted, and nothing is said where nothing waits', () => {
  assert.equal(signOutWords.loss({ photos: 1, records: 0 }),
    '1 photo is not sent yet, and would be lost. Stay until it has arrived.');
  assert.equal(signOutWords.leave({ photos: 1200, records: 1 }), 'Sign out and lose 1,200 photos and 1 change');
  assert.equal(signOutWords.leave({ photos: 0, records: 0 }), 'Sign out');
  assert.equal(leavingWords.loss({ photos: 0, records: 1 }),
    '1 change such as captions or hearts was not sent, and will not be.');
  assert.equal(leavingWords.loss({ photos: 0, records: 0 }), '');
  assert.equal(missingWords.heading(1), 'Choose this photo again');
  const state = (parts) => stateLine({ phase: 'offline', photos: 0, records: 0, missing: 0, ...parts });
  assert.equal(state({ records: 1 }),
    'No connection. 1 change is kept on this phone and will be sent when it returns.');
  assert.equal(state({ photos: 2, phase: 'online' }),
    'Sending 2 photos. Keep this page open until all have arrived.');
  assert.equal(state({ missing: 1 }), '1 photo that you chose is missing.');
});

test('the host is told of one photo and of several', () => {
  assert.equal(hostWords.erased(1), 'Photo deleted for good.');
  assert.equal(hostWords.erased(2), '2 photos deleted for good.');
  assert.equal(hostWords.notErased(1), 'The album did not answer, so the photo was not deleted for good.');
  assert.equal(hostWords.notErased(3), 'The album did not answer, so 3 photos were not deleted for good.');
});
