// The page's icons: paths on 24 by 24 units.

export const menu = 'M4 7h16M4 12h16M4 17h16';
export const more = 'M6 9l6 6 6-6';
