// The book's icons: paths on 24 by 24 units.

export const undo = 'M9 14L4 9l5-5M4 9h9a6 6 0 0 1 0 12h-2';
export const redo = 'M15 14l5-5-5-5M20 9h-9a6 6 0 0 0 0 12h2';
export const erase = 'M9 20h11M5 14l8-9 6 6-8 9H8l-4-4z';
export const pencil = 'M4 20h4L19 9l-4-4L4 16z';
export const bulb = 'M9 18h6M10 21h4M12 3a6 6 0 0 0-3.5 10.9c.4.4.5.9.5 1.6h6c0-.7.1-1.2.5-1.6A6 6 0 0 0 12 3z';
export const menu = 'M4 7h16M4 12h16M4 17h16';
export const add = 'M12 5v14M5 12h14';
export const trash = 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13';
export const done = 'M5 13l4 4L19 7';
export const camera = 'M4 8h4l2-3h4l2 3h4v11H4zM12 10a3.5 3.5 0 1 0 0 7a3.5 3.5 0 1 0 0-7';
export const share = 'M12 15V4M8 8l4-4 4 4M5 12v8h14v-8';
