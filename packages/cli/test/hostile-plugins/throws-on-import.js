throw new TypeError('there is no \u001b[31msilt here');
