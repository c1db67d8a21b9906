# What g++ 12.2 makes of ikj's innermost loop; the test 02_loop_order.inner_loop compares it with what was compiled.
# [ikj]
movups (%rsi,%rax,1),%xmm0     load four numbers of B
movups (%rcx,%rax,1),%xmm3     load four of C
mulps  %xmm2,%xmm0             times the factor, in all four lanes
addps  %xmm3,%xmm0             plus C
movups %xmm0,(%rcx,%rax,1)     store four of C
add    $0x10,%rax              16 bytes on
cmp    %rbp,%rax
jne                            back to the first load, until the end of the row
# [/ikj]
