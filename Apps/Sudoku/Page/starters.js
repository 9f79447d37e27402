// Easy puzzles, made by SudokuCore, so that one can play before anything else is loaded.

const links = [
  'a9e53a18f3a7c96b3a2a85c86d9a2c5d7b1d8e74e8a52b',
  '8e572c42b6d8b4g3d4a7e2d1b563b79e2a3a7b45d2b',
  'a3c682f1d4c2a3d6b4f7b9a5a1e72c5d9c28a6a7f4a',
  'a9b4f7b9g8b6b2a4c56b471f3b5b1d2c8a3c8d596c4a',
  'a7a68a4e3a27a81b4b36d5l3f32a7a357b62b18e5b9f',
  'b18a9b73f8g4168g12b17a8d49d5163a8b7e9b68a584e',
  '5b13d92a7b413a4e562d3a8a6b4d171d2c52a78f64c8a7g',
  'a6b9d1c6c775l38e6b5a4d1g3c769f5a3268c9a',
  '5f2c47b9a87b1b5b64c1a8b7k38a1b26b587e4e17a8a3a2',
  'b9a8e1d4c4b72j89a5b6a7a1a8a13a6d7b6b313d9d48c1a',
  '4c5i28a3398b1f71b2a51f6a4a6e8b3b451e9f5c6a',
  'e964d4c12b62c8a45h3b1e286g5a71a9b7c6f9a2b7',
  'e698a9a64d5b7a5d6c3a7c5e4342l5a9a3d982a86f4',
  '6a1b4a89g522a85c4c785f4h93b6a1e1f96d4d2a1a',
  'j2748a3b8d5b9a9d6a2d7b93b2a6c5b3a5b6b6b1b5a18d4b',
  '4d39d6a5a1c18a7b4a8b4b62a3d8d7b3c9f218c3h6e',
];

/** One of them, as 81 characters. */
export const starter = () => links[Math.floor(Math.random() * links.length)]
  .replace(/[a-z]/g, (run) => '.'.repeat(run.charCodeAt(0) - 96));
