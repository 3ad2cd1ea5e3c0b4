/** A PDF as small as one can be, with empty pages. @param more entries of its catalogue */
export function smallPdf(pages = 1, more = ''): Buffer {
  const kids = Array.from({ length: pages }, (_, n) => n + 3);
  const objects = [
    `<</Type /Catalog /Pages 2 0 R ${more}>>`,
    `<</Type /Pages /Count ${pages} /Kids [${kids.map((n) => `${n} 0 R`).join(' ')}]>>`,
    ...kids.map(() => '<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842]>>'),
  ];
  let text = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${places.join('')}`;
  return Buffer.from(`${text}${table}trailer\n<</Size ${size} /Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`);
}
