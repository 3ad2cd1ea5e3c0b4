declare module 'subset-font' {
  /** The font with the glyphs of these characters alone. */
  export default function subsetFont(font: Buffer, characters: string, to: { targetFormat: 'woff2' }): Promise<Buffer>;
}
