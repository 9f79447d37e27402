// The table's icons: paths on 24 by 24 units.

export const back = 'M20 6H9l-6 6 6 6h11zM12 9.5l5 5M17 9.5l-5 5';
export const shuffle = 'M4 7h3l10 10h3M4 17h3l3-3M14 10l3-3h3M18 4l3 3-3 3M18 14l3 3-3 3';
export const history = 'M4 12a8 8 0 1 0 3-6.200M4 4v4h4M12 8v4l3 2';
