// Stands for a header that the checkout lacks; nothing in it is used.
