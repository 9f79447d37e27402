// The album's icons: paths on 24 by 24 units.

export const add = 'M12 5v14M5 12h14';
export const back = 'M15 5l-7 7 7 7';
export const next = 'M9 5l7 7-7 7';
export const close = 'M6 6l12 12M18 6L6 18';
export const code = 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2h-2zM18 18h2v2h-2zM18 14h2M14 18v2';
export const menu = 'M5 12h.01M12 12h.01M19 12h.01';
export const edit = 'M4 20h4L19 9l-4-4L4 16z';
export const crop = 'M7 2v15h15M2 7h15v15';
export const undo = 'M9 14L4 9l5-5M4 9h9a6 6 0 0 1 0 12h-2';
export const heart = 'M12 20S4 15 4 9a4.2 4.2 0 0 1 8-1.8A4.2 4.2 0 0 1 20 9c0 6-8 11-8 11z';
export const trash = 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13';
export const save = 'M12 4v11M7 11l5 5 5-5M5 20h14';
export const picture = 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9h.01';
