/** The icon of the pages in tabs and bookmarks. */
export const iconPath = "/favicon.ico";

/** SVG: the outline of `scripts/icon.svg`, which shows too much for this size. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 256 256" fill="none" stroke-linecap="round" stroke-linejoin="round">
<rect width="256" height="256" rx="52" fill="#1b4369"/>
<path d="M164 164l52 52" stroke="#f5f8fb" stroke-width="26"/>
<path d="M38 54h140c0 84-22 124-70 124S38 138 38 54z" fill="#0e2740" stroke="#f5f8fb" stroke-width="18"/>
<path d="M70 92h44M82 128h52" stroke="#f5f8fb" stroke-width="20"/>
<path d="M146 92h4" stroke="#ffb454" stroke-width="20"/>
</svg>
`;
